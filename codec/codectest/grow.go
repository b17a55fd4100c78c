package codectest

import (
	"bytes"
	"errors"
	"testing"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/limits"
)

var errRefused = errors.New("codectest: no more memory")

// grow: a Decoder asks for memory once, for no more than Requires said where the
// codec does not grow, and a refusal ends the read with its error after the data
// before.
func (s suite) grow(t *testing.T) {
	for _, v := range append(s.f.vectors(t), s.objects(t)...) {
		asked := s.asked(t, v)
		if s.c.Requires != nil && s.c.MaxMemory == nil && len(asked) > 0 {
			needs, err := s.c.Requires(v.Stored[:min(len(v.Stored), limits.Head)])
			if last := asked[len(asked)-1]; err == nil && last > needs.Memory {
				t.Errorf("%s: got %d bytes asked for, Requires says %d and the codec has no MaxMemory", v.Name, last, needs.Memory)
			}
		}
		for n := range min(len(asked), 3) {
			s.refuse(t, v, n)
		}
	}
}

// asked is what a Decoder asks for over an object. Over the same object again it
// asks for nothing.
func (s suite) asked(t *testing.T, v Vector) (asked []int64) {
	d := s.open(t, bytes.NewReader(v.Stored), &codec.Options{Grow: func(memory int64) error {
		if n := len(asked); n > 0 && memory <= asked[n-1] {
			t.Errorf("%s: got %d bytes asked for after %d", v.Name, memory, asked)
		}
		asked = append(asked, memory)
		return nil
	}})
	defer d.Close()
	read(t, d, 64<<10)
	n := len(asked)
	if err := d.Reset(bytes.NewReader(v.Stored)); err != nil {
		t.Fatalf("%s: Reset: got %v", v.Name, err)
	}
	read(t, d, 64<<10)
	if len(asked) != n {
		t.Errorf("%s: got %d bytes asked for after Reset, which keeps what was granted", v.Name, asked[n:])
	}
	return asked
}

// refuse grants n times.
func (s suite) refuse(t *testing.T, v Vector, n int) {
	o := s.decode(t, bytes.NewReader(v.Stored), 64<<10, &codec.Options{Grow: func(int64) error {
		if n--; n < 0 {
			return errRefused
		}
		return nil
	}})
	begins(t, v.Name, o, v.Decoded)
	s.fault(t, v.Name+", refused", o, v.Stored, errRefused)
}
