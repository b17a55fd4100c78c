package codectest

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/thaw-go/thaw/codec"
)

// vectors: all data, a clean end, and every stored byte accounted for.
func (s suite) vectors(t *testing.T) {
	for _, v := range s.f.vectors(t) {
		d := s.open(t, bytes.NewReader(v.Stored), nil)
		o := read(t, d, 64<<10)
		if o.err != nil || !bytes.Equal(o.data, v.Decoded) {
			t.Errorf("%s: got %v, want %d bytes", v.Name, o, len(v.Decoded))
		}
		if p, ok := d.(codec.Positioned); ok && p.StoredOffset() != int64(len(v.Stored)) {
			t.Errorf("%s: got stored offset %d at the end, want %d", v.Name, p.StoredOffset(), len(v.Stored))
		}
		d.Close()
	}
}

// chunking: the answer does not depend on how bytes come and go. Whole, cut and
// damaged objects are tried.
func (s suite) chunking(t *testing.T) {
	// One for all: what is left of an object must not affect the next.
	d := s.open(t, bytes.NewReader(nil), nil)
	defer d.Close()
	for _, v := range s.f.vectors(t) {
		cut := v.Stored[:len(v.Stored)*2/3]
		damaged := bytes.Clone(v.Stored)
		for i := len(damaged) / 2; i < len(damaged); i += 1 + len(damaged)/3 {
			damaged[i] ^= 0x10
		}
		longer := append(bytes.Clone(v.Stored), s.f.Junk...)
		for _, object := range []Vector{
			{Name: "cut", Stored: cut}, {Name: "whole", Stored: v.Stored},
			{Name: "damaged", Stored: damaged}, {Name: "longer", Stored: longer},
		} {
			what, stored := object.Name, object.Stored
			decode := func(src io.Reader, size int) outcome {
				if err := d.Reset(src); err != nil {
					t.Fatalf("Reset: got %v, want nil", err)
				}
				return read(t, d, size)
			}
			want := decode(bytes.NewReader(stored), 64<<10)
			if len(want.data) > 1<<20 {
				continue // damage may grow without bound
			}
			for _, src := range sources {
				for _, size := range []int{1, 7, 4096, 32 << 10} {
					if size < 4096 && len(want.data) > 10_000 {
						continue
					}
					if got := decode(src.open(stored), size); !got.same(want) {
						t.Errorf("%s, %s, source %s, reads of %d: got %v, want %v", v.Name, what, src.name, size, got, want)
					}
				}
			}
		}
	}
}

// cuts: an object that ends early is io.ErrUnexpectedEOF, after what could be
// decoded.
func (s suite) cuts(t *testing.T) {
	if s.f.Endless {
		t.Skip("the format has no end mark")
	}
	d := s.open(t, bytes.NewReader(nil), nil)
	defer d.Close()
	for _, v := range s.f.vectors(t) {
		// All cuts of small objects; of large ones those near both ends, and some.
		step := 1 + len(v.Stored)*len(v.Decoded)/cutWork
		for k := range len(v.Stored) {
			if k > 40 && k < len(v.Stored)-40 && k%step != 0 {
				continue
			}
			cut := v.Stored[:k]
			if err := d.Reset(bytes.NewReader(cut)); err != nil {
				t.Fatalf("Reset: got %v, want nil", err)
			}
			o := read(t, d, 64<<10)
			begins(t, v.Name, o, v.Decoded)
			if o.err == nil && k > 0 && s.f.MayEnd != nil && s.f.MayEnd(v.Stored, k) {
				continue
			}
			s.fault(t, v.Name+" cut", o, cut, io.ErrUnexpectedEOF)
			if t.Failed() {
				t.Fatalf("%s: cut to %d of %d bytes", v.Name, k, len(v.Stored))
			}
		}
	}
}

// cutWork is about how many bytes are decoded for the cuts of one object.
const cutWork = 8 << 20

// concatenation: all members, empty ones too, and borders are restart points.
func (s suite) concatenation(t *testing.T) {
	if !s.f.Concatenates {
		t.Skip("members do not follow each other")
	}
	vs := s.f.vectors(t)
	for i, a := range vs {
		b, c := vs[(i+1)%len(vs)], vs[(i+2)%len(vs)]
		stored := bytes.Join([][]byte{a.Stored, b.Stored, c.Stored}, nil)
		want := bytes.Join([][]byte{a.Decoded, b.Decoded, c.Decoded}, nil)
		for _, size := range []int{5, 64 << 10} {
			if o := s.decode(t, bytes.NewReader(stored), size, nil); o.err != nil || !bytes.Equal(o.data, want) {
				t.Errorf("%s, %s, %s: got %v, want %d bytes", a.Name, b.Name, c.Name, o, len(want))
			}
		}
	}
}

// trailing: bytes that are no member are ErrTrailing after all data, however few
// they are, and ignored, and returned by Trailing, where options say so.
func (s suite) trailing(t *testing.T) {
	if s.f.Endless {
		t.Skip("nothing can be left over")
	}
	for _, v := range s.f.vectors(t) {
		for _, n := range []int{1, 2, 3, 9, len(s.f.Junk)} {
			stored := append(bytes.Clone(v.Stored), s.f.Junk[:min(n, len(s.f.Junk))]...)
			o := s.decode(t, bytes.NewReader(stored), 64<<10, nil)
			if s.f.JunkIsDamage {
				s.fault(t, v.Name+" and junk", o, stored, nil)
				continue
			}
			s.fault(t, v.Name+" and junk", o, stored, codec.ErrTrailing)
			var e *codec.Error
			if errors.As(o.err, &e) && e.StoredOffset != int64(len(v.Stored)) {
				t.Errorf("%s: got offset %d for the junk, want %d", v.Name, e.StoredOffset, len(v.Stored))
			}
			if !bytes.Equal(o.data, v.Decoded) {
				t.Errorf("%s and junk: got %d bytes before the error, want %d", v.Name, len(o.data), len(v.Decoded))
			}
			d := s.open(t, bytes.NewReader(stored), &codec.Options{IgnoreTrailing: true})
			o = read(t, d, 64<<10)
			if o.err != nil || !bytes.Equal(o.data, v.Decoded) {
				t.Errorf("%s and ignored junk: got %v, want %d bytes", v.Name, o, len(v.Decoded))
			}
			if at, size := codec.Trailing(d); at != int64(len(v.Stored)) || size != int64(len(stored)-len(v.Stored)) {
				t.Errorf("%s and ignored junk: got %d bytes at %d, want %d at %d",
					v.Name, size, at, len(stored)-len(v.Stored), len(v.Stored))
			}
			d.Close()
		}
	}
}

// flips: damage is an error or has no effect where the format has checksums, and a
// typed error or data everywhere, however the source returns its bytes.
func (s suite) flips(t *testing.T) {
	if s.f.Endless {
		t.Skip("any bytes are data")
	}
	opts := &codec.Options{MaxDecoded: 8 << 20}
	d := s.open(t, bytes.NewReader(nil), opts)
	defer d.Close()
	for _, v := range s.f.small(t) {
		stored := bytes.Clone(v.Stored)
		for bit := range 8 * len(stored) {
			stored[bit/8] ^= 1 << (bit % 8)
			if err := d.Reset(bytes.NewReader(stored)); err != nil {
				t.Fatalf("Reset: got %v, want nil", err)
			}
			o := read(t, d, 64<<10)
			switch {
			case o.err != nil:
				s.fault(t, v.Name, o, stored, nil)
			case s.f.Checksummed && !bytes.Equal(o.data, v.Decoded):
				t.Errorf("%s: got other bytes and a clean end, want an error", v.Name)
			}
			if bit%flipsChunked == 0 {
				d.Reset(&pieces{b: stored, size: 1})
				if again := read(t, d, 64<<10); !again.same(o) {
					t.Errorf("%s: got %v from a source of single bytes, want %v", v.Name, again, o)
				}
			}
			if t.Failed() {
				t.Fatalf("%s: bit %d of byte %d flipped", v.Name, bit%8, bit/8)
			}
			stored[bit/8] ^= 1 << (bit % 8)
		}
	}
}

// flipsChunked is how many bits lie between two whose damage is decoded again from a
// source that returns single bytes: the answer, offsets included, is the same.
const flipsChunked = 3

// sourceError: an error of the source comes out as it is, after the data before
// it.
func (s suite) sourceError(t *testing.T) {
	for _, v := range s.f.vectors(t) {
		for _, k := range []int{0, len(v.Stored) / 2, len(v.Stored)} {
			o := s.decode(t, failing(v.Stored[:k]), 64<<10, nil)
			begins(t, v.Name, o, v.Decoded)
			s.fault(t, v.Name, o, v.Stored, errSource)
			if k == len(v.Stored) && !bytes.Equal(o.data, v.Decoded) {
				t.Errorf("%s: got %d bytes before the source failed, want %d", v.Name, len(o.data), len(v.Decoded))
			}
		}
	}
}
