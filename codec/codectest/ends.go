package codectest

import (
	"bytes"
	"testing"

	"github.com/thaw-go/thaw/codec"
)

// doubt: only an object that may have been cut is said to be doubtful, at its end,
// and what the one before it was like is forgotten. It is the same from every
// restart point on, the end of the object included.
func (s suite) doubt(t *testing.T) {
	d := s.open(t, bytes.NewReader(nil), nil)
	defer d.Close()
	end := func(v Vector, want bool, step int) {
		t.Helper()
		if err := d.Reset(bytes.NewReader(v.Stored)); err != nil {
			t.Fatalf("Reset: got %v, want nil", err)
		}
		if got := codec.Doubt(d); got != "" {
			t.Errorf("%s: got doubt %q before anything was read", v.Name, got)
		}
		points := map[int64]codec.Point{}
		p := make([]byte, step)
		var err error
		for err == nil {
			_, err = d.Read(p)
			if r, ok := d.(codec.Restarter); ok && s.c.Restart != nil {
				if at, ok := r.RestartPoint(); ok {
					points[at.Stored] = at
				}
			}
		}
		if got := codec.Doubt(d); (got != "") != want {
			t.Errorf("%s: got doubt %q, want one: %v", v.Name, got, want)
		}
		for _, at := range points {
			r, err := s.c.Restart(bytes.NewReader(v.Stored[at.Stored:]), at, new(codec.Options))
			if err != nil {
				t.Fatalf("%s: Restart at %d: got %v", v.Name, at.Stored, err)
			}
			read(t, r, 64<<10)
			if got := codec.Doubt(r); (got != "") != want {
				t.Errorf("%s from %d on: got doubt %q, want one: %v", v.Name, at.Stored, got, want)
			}
			r.Close()
		}
	}
	for _, v := range s.f.vectors(t) {
		end(v, false, 1+len(v.Decoded)/20)
		for _, doubtful := range s.f.Doubtful {
			for _, step := range []int{1, 1 + len(doubtful.Decoded)/20, 1 + len(doubtful.Decoded)} {
				end(doubtful, true, step)
			}
			end(v, false, 1+len(v.Decoded)/20)
		}
	}
}

// mostLetters is how many letters no text begins with unless it means the format.
const mostLetters = 8

// text: a format whose objects begin with a few letters is not known by them alone,
// since text may begin with them too.
func (s suite) text(t *testing.T) {
	if s.c.Magic == nil {
		t.Skip("no magic")
	}
	const letters = " are letters, and so are these:\n0123456789, 0123456789, 0123456789\n"
	for _, v := range s.f.vectors(t) {
		for n := range min(len(v.Stored), mostLetters) + 1 {
			if n > 0 && (v.Stored[n-1] < ' ' || v.Stored[n-1] > '~') {
				break
			}
			if got := s.c.Magic(append(bytes.Clone(v.Stored[:n]), letters...), true); got == codec.Matched {
				t.Errorf("%s: Magic of %q and text: got Matched, want NoMatch", v.Name, v.Stored[:n])
			}
		}
	}
}
