package codectest

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/codec"
)

// scan: a Scanner comes to the same members and units however many bytes it is shown,
// goes through the whole object, and finds an end only where a Decoder does.
func (s suite) scan(t *testing.T) {
	if s.c.Scan == nil {
		t.Skip("no Scan")
	}
	for _, v := range s.objects(t) {
		want := s.scanned(t, v.Stored, len(v.Stored), true)
		if want.err != nil {
			t.Fatalf("%s: Scan: got %v", v.Name, want.err)
		}
		if want.decoded >= 0 && want.decoded != int64(len(v.Decoded)) {
			t.Errorf("%s: got steps of %d decoded bytes, want %d", v.Name, want.decoded, len(v.Decoded))
		}
		for _, show := range []int{1, 7, 100} {
			for _, sized := range []bool{true, false} {
				if got := s.scanned(t, v.Stored, show, sized); !got.same(want) {
					t.Errorf("%s: shown %d bytes at first, its size known %v: got %+v, want %+v", v.Name, show, sized, got, want)
				}
			}
		}
	}
	for _, v := range s.f.small(t) {
		for n := 1; n < len(v.Stored); n++ {
			o := s.decode(t, bytes.NewReader(v.Stored[:n]), 4<<10, nil)
			got := s.scanned(t, v.Stored[:n], 16, true)
			if o.err == nil && got.err != nil {
				t.Errorf("%s, cut after %d bytes: got %v, the Decoder ends cleanly", v.Name, n, got.err)
			}
		}
	}
}

// scanned is what the steps of an object come to.
type scanned struct {
	members int
	units   []int64 // how many bytes are left where they begin
	decoded int64   // -1 if a step does not know
	err     error
}

func (r scanned) same(o scanned) bool {
	return r.members == o.members && r.decoded == o.decoded && slices.Equal(r.units, o.units) && (r.err == nil) == (o.err == nil)
}

// mostIdle is how many steps without bytes may follow one another.
const mostIdle = 4

// scanned scans stored, whose size is known, or not before its end is seen. Scan is
// shown so many bytes at first, and more when it asks.
func (s suite) scanned(t *testing.T, stored []byte, show int, sized bool) (r scanned) {
	t.Helper()
	sc := s.c.Scan()
	declared := false // the member states its size
	for idle := 0; ; {
		var st codec.Step
		for n := min(show, len(stored)); ; n++ {
			left := int64(len(stored))
			if !sized && n < len(stored) {
				left = -1
			}
			if st, r.err = sc.Scan(stored[:n:n], left); r.err != io.ErrShortBuffer {
				break
			}
			if n == len(stored) {
				t.Fatal("Scan asks for more than there is")
			}
		}
		if r.err == io.EOF && len(stored) == 0 {
			r.err = nil
			return r
		}
		if st.Size < 0 {
			st.Size = int64(len(stored))
		}
		if r.err == nil && st.Size > int64(len(stored)) {
			r.err = io.ErrUnexpectedEOF
		}
		if idle++; st.Size > 0 {
			idle = 0
		}
		if r.err == nil && idle > mostIdle {
			r.err = errors.New("steps without bytes")
		}
		if r.err != nil {
			return r
		}
		if st.Unit {
			r.units = append(r.units, int64(len(stored)))
		}
		n := st.Decoded
		switch st.Role {
		case codec.StepBegin:
			r.members++
			if want := cmp.Or(s.c.Member, "member"); st.Kind != "" && !strings.HasSuffix(" "+st.Kind, " "+want) {
				t.Fatalf("Scan: got a member called %q, the codec calls it %q", st.Kind, want)
			}
			if declared = n >= 0; !declared {
				n = 0
			}
		case codec.StepBlock, codec.StepEnd:
			if declared {
				n = 0
			}
			declared = declared && st.Role == codec.StepBlock
		case codec.StepRest:
			n = -1
		case codec.StepSkip:
			n = 0
		}
		if r.decoded >= 0 && n >= 0 {
			r.decoded += n
		} else {
			r.decoded = -1
		}
		stored = stored[st.Size:]
	}
}
