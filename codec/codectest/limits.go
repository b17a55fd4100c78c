package codectest

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/limits"
)

// maxDecoded: the limit is an error after the bytes up to it, never an end, and
// no error if it is just reached.
func (s suite) maxDecoded(t *testing.T) {
	for _, v := range s.f.vectors(t) {
		for _, limit := range []int{1, len(v.Decoded) / 2, len(v.Decoded) - 1, len(v.Decoded), len(v.Decoded) + 1} {
			if limit < 1 {
				continue
			}
			for _, size := range []int{1000, 64 << 10} {
				o := s.decode(t, bytes.NewReader(v.Stored), size, &codec.Options{MaxDecoded: int64(limit)})
				begins(t, v.Name, o, v.Decoded)
				if want := min(limit, len(v.Decoded)); len(o.data) != want {
					t.Errorf("%s limited to %d: got %d bytes, want %d", v.Name, limit, len(o.data), want)
				}
				if limit < len(v.Decoded) {
					s.fault(t, v.Name, o, v.Stored, codec.ErrLimit)
				} else if o.err != nil {
					t.Errorf("%s limited to %d: got %v, want a clean end", v.Name, limit, o.err)
				}
			}
		}
	}
}

// maxRatio: expansion beyond the limit is an error once 1 MiB came out.
func (s suite) maxRatio(t *testing.T) {
	if s.f.Encode == nil {
		t.Skip("no encoder")
	}
	run := make([]byte, 3<<20)
	stored := s.f.Encode(run)
	ratio := int64(len(run) / len(stored))
	if ratio < 4 {
		t.Skip("the encoder does not compress a run")
	}
	o := s.decode(t, bytes.NewReader(stored), 64<<10, &codec.Options{MaxRatio: 2})
	s.fault(t, "run", o, stored, codec.ErrLimit)
	if len(o.data) < 1<<20 {
		t.Errorf("got %d bytes before the ratio was looked at, want at least 1 MiB", len(o.data))
	}
	if o := s.decode(t, bytes.NewReader(stored), 64<<10, &codec.Options{MaxRatio: 1 << 40}); o.err != nil {
		t.Errorf("within the ratio: got %v, want a clean end", o.err)
	}
}

// magic: the beginning of an object is never denied, and an object is known.
func (s suite) magic(t *testing.T) {
	if s.c.Magic == nil {
		t.Skip("no magic")
	}
	for _, v := range s.f.vectors(t) {
		for n := range min(len(v.Stored), 64) {
			got := s.c.Magic(v.Stored[:n], false)
			if n > 0 && got == codec.NoMatch {
				t.Errorf("%s: Magic of the first %d bytes: got NoMatch", v.Name, n)
			}
			if n > 0 && got == codec.NeedMore && s.c.Magic(v.Stored[:n], true) == codec.NoMatch {
				t.Errorf("%s: Magic of an object that was cut after %d bytes: got NoMatch: it would pass for plain data", v.Name, n)
			}
		}
		head := v.Stored[:min(len(v.Stored), limits.Head)]
		if got := s.c.Magic(head, len(head) == len(v.Stored)); got != codec.Matched {
			t.Errorf("%s: Magic: got %d, want Matched", v.Name, got)
		}
		if got := s.c.Magic(s.f.Junk, true); got == codec.Matched {
			t.Errorf("Magic of %q: got Matched, want NoMatch", s.f.Junk)
		}
	}
	s.c.Magic(nil, true)
}

// requires: a beginning that is too short asks for more, and a longer one never
// needs more memory than a shorter one that had an answer.
func (s suite) requires(t *testing.T) {
	if s.c.Requires == nil {
		t.Skip("no Requires")
	}
	for _, v := range s.f.vectors(t) {
		for n := range min(len(v.Stored), limits.Head) + 1 {
			needs, err := s.c.Requires(v.Stored[:n])
			switch {
			case errors.Is(err, io.ErrUnexpectedEOF) && n < len(v.Stored):
			case err != nil:
				t.Errorf("%s: Requires of %d bytes: got %v", v.Name, n, err)
			case needs.Window < 0, needs.Memory < needs.Window, needs.Size < -1:
				t.Errorf("%s: Requires of %d bytes: got %+v", v.Name, n, needs)
			}
		}
	}
}
