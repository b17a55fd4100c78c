package brotli_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/internal/decode/fault"
)

// rule is a stream made to keep or to break one rule.
type rule struct {
	name   string
	stored *bitWriter
	want   string // decoded
	fault  string // what its reason has in it; "cut" for an early end; empty for none
}

// rules are the rules of the format, one broken at a time, beside streams that keep
// them.
func rules() []rule {
	return slices.Concat(windowRules(), metaRules(), simpleRules(), complexRules(), blockRules(), distanceRules(), wordRules())
}

func windowRules() []rule {
	large := func(bits int) *bitWriter { return new(bitWriter).num(0x11, 8).num(bits, 6) }
	return []rule{
		{"nothing", stream().end(), "", ""},
		{"no bytes", new(bitWriter), "", "cut"},
		{"reserved window", new(bitWriter).num(0x91, 8).num(0, 8), "", "reserved size"},
		{"large window of 2^9", large(9).end(), "", "no allowed size"},
		{"large window of 2^10", large(10).end(), "", ""},
		{"large window of 2^30", large(30).end(), "", ""},
		{"large window of 2^31", large(31).end(), "", "no allowed size"},
		{"large window cut", new(bitWriter).num(0x11, 8), "", "cut"},
	}
}

// metaRules are those of the headers of meta-blocks.
func metaRules() []rule {
	bytes := func(w *bitWriter, s string) *bitWriter {
		w.align()
		w.out = append(w.out, s...)
		return w
	}
	raw := func() *bitWriter { return stream().num(0, 3).num(2, 16).num(1, 1) }
	skip := func(reserved, digits, size int) *bitWriter {
		return stream().num(0, 1).num(3, 2).num(reserved, 1).num(digits, 2).num(size-1, 8*digits)
	}
	long := strings.Repeat("x", 1<<16+1)
	return []rule{
		{"bits set behind the last meta-block", stream().end().num(1, 1), "", "before a whole byte"},
		{"raw bytes", bytes(raw(), "abc").end(), "abc", ""},
		{"bits set before raw bytes", bytes(raw().num(1, 1), "abc").end(), "", "before a whole byte"},
		{"raw bytes cut", bytes(raw(), "ab"), "ab", "cut"},
		{"no last meta-block", bytes(raw(), "abc"), "abc", "cut"},
		{"raw bytes cannot be last", bytes(stream().num(1, 2).num(0, 2).num(2, 16).num(1, 1), "abc"), "", "cut"},
		{"five digits", bytes(stream().num(0, 1).num(1, 2).num(1<<16, 20).num(1, 1), long).end(), long, ""},
		{"five digits, the highest 0", bytes(stream().num(0, 1).num(1, 2).num(2, 20).num(1, 1), "abc").end(), "", "more digits"},
		{"six digits, the highest 0", bytes(stream().num(0, 1).num(2, 2).num(1<<16, 24).num(1, 1), long).end(), "", "more digits"},
		{"no data", bytes(skip(0, 1, 3), "abc").end(), "", ""},
		{"no data of no bytes", skip(0, 0, 1).align().end(), "", ""},
		{"no data in the last meta-block", bytes(stream().num(1, 2).num(3, 2).num(0, 1).num(1, 2).num(2, 8), "abc"), "", ""},
		{"no data, the reserved bit set", bytes(skip(1, 1, 3), "abc").end(), "", "reserved bit"},
		{"no data, two digits, the highest 0", bytes(skip(0, 2, 3), "abc").end(), "", "more digits"},
		{"no data, bits set before it", bytes(skip(0, 1, 3).num(1, 1), "abc").end(), "", "before a whole byte"},
		{"no data, cut", bytes(skip(0, 1, 3), "ab"), "", "cut"},
	}
}

// TestRules decodes streams that keep a rule or break it.
func TestRules(t *testing.T) {
	t.Parallel()
	s := newStreams()
	for _, tc := range rules() {
		got, _, err := s.decode(tc.stored.out)
		wrong, isFault := errors.AsType[*fault.Error](err)
		switch {
		case string(got) != tc.want:
			t.Errorf("%s: got %s and %v", tc.name, difference(got, []byte(tc.want)), err)
		case tc.fault == "" && err != nil:
			t.Errorf("%s: got %v, want no error", tc.name, err)
		case tc.fault == "cut" && !errors.Is(err, io.ErrUnexpectedEOF):
			t.Errorf("%s: got %v, want %v", tc.name, err, io.ErrUnexpectedEOF)
		case tc.fault != "" && tc.fault != "cut" && (!isFault || !errors.Is(err, fault.Corrupt) || !strings.Contains(wrong.What, tc.fault)):
			t.Errorf("%s: got %v, want %q", tc.name, err, tc.fault)
		}
	}
}

// TestRulesOfTheLibrary holds the table to the library, which is a translation of
// the decoder by the format's authors.
func TestRulesOfTheLibrary(t *testing.T) {
	t.Parallel()
	s, library := newStreams(), newLibrary()
	for _, tc := range rules() {
		compare(t, s, library, tc.stored.out, tc.name)
	}
}
