package codectest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/thaw-go/thaw/codec"
)

// Run tests c, a codec of format f, in subtests that are named after the promises. Tests that
// run in parallel may call it. The subtests fail if f has neither Encode nor Vectors.
func Run(t *testing.T, c codec.Codec, f Format) {
	s := suite{c: c, f: f}
	if c.Split == nil && c.Scan != nil {
		r := codec.Default().Clone()
		r.Register(c)
		s.c, _ = r.Lookup(c.Name)
	}
	if s.f.Junk == nil {
		s.f.Junk = []byte("junk after the end, which is no member of anything at all\n")
	}
	for _, test := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"Vectors", s.vectors},
		{"Chunking", s.chunking},
		{"Cuts", s.cuts},
		{"Concatenation", s.concatenation},
		{"Trailing", s.trailing},
		{"Flips", s.flips},
		{"SourceError", s.sourceError},
		{"EmptyReads", s.emptyReads},
		{"Reset", s.reset},
		{"Close", s.close},
		{"MaxDecoded", s.maxDecoded},
		{"MaxRatio", s.maxRatio},
		{"Magic", s.magic},
		{"Text", s.text},
		{"Doubt", s.doubt},
		{"Requires", s.requires},
		{"Grow", s.grow},
		{"Restart", s.restart},
		{"Scan", s.scan},
		{"NextMember", s.nextMember},
		{"Split", s.split},
		{"Cost", s.cost},
	} {
		t.Run(test.name, test.run)
	}
}

type suite struct {
	c codec.Codec
	f Format
}

// outcome is all that a Decoder has to say about an object.
type outcome struct {
	data []byte
	err  error // nil at a clean end
}

// same reports whether two outcomes differ in nothing that callers act on: data,
// causes and offsets. The words of a message may differ.
func (o outcome) same(other outcome) bool {
	var a, b codec.Error
	if e := new(codec.Error); errors.As(o.err, &e) {
		a = *e
	}
	if e := new(codec.Error); errors.As(other.err, &e) {
		b = *e
	}
	for _, cause := range slices.Concat(causes, []error{errSource}) {
		if errors.Is(o.err, cause) != errors.Is(other.err, cause) {
			return false
		}
	}
	return bytes.Equal(o.data, other.data) && (o.err == nil) == (other.err == nil) &&
		a.Codec == b.Codec && a.StoredOffset == b.StoredOffset && a.DecodedOffset == b.DecodedOffset
}

// causes are those that package codec documents.
var causes = []error{
	codec.ErrCorrupt, codec.ErrChecksum, codec.ErrLimit, codec.ErrTrailing,
	codec.ErrDictionary, codec.ErrUnsupported, io.ErrUnexpectedEOF,
}

func (o outcome) String() string { return fmt.Sprintf("%d bytes, error %v", len(o.data), o.err) }

func (s suite) open(t *testing.T, src io.Reader, opts *codec.Options) codec.Decoder {
	t.Helper()
	if opts == nil {
		opts = new(codec.Options)
	}
	d, err := s.c.NewReader(src, opts)
	if err != nil {
		t.Fatalf("NewReader: got %v, want no error: faults of the data come from Read", err)
	}
	return d
}

// decode reads src to its end, size bytes at a time.
func (s suite) decode(t *testing.T, src io.Reader, size int, opts *codec.Options) outcome {
	t.Helper()
	d := s.open(t, src, opts)
	defer d.Close()
	return read(t, d, size)
}

// read reads d to its end and checks what holds at any end.
func read(t *testing.T, d io.Reader, size int) outcome {
	t.Helper()
	var o outcome
	p := make([]byte, size)
	for idle := 0; o.err == nil; {
		n, err := d.Read(p)
		if n < 0 || n > len(p) {
			t.Fatalf("Read of %d: got %d bytes", len(p), n)
		}
		o.data = append(o.data, p[:n]...)
		o.err = err
		if idle++; n > 0 {
			idle = 0
		} else if idle > 1000 {
			t.Fatal("Read: got neither data nor an error 1000 times")
		}
	}
	for range 2 {
		if n, err := d.Read(p); n != 0 || fmt.Sprint(err) != fmt.Sprint(o.err) {
			t.Errorf("Read after the end: got %d, %v; want 0, %v", n, err, o.err)
		}
	}
	if o.err == io.EOF {
		o.err = nil
	}
	return o
}

// fault checks that o failed as promised: with a positioned error around cause,
// or around any documented cause if that is nil.
func (s suite) fault(t *testing.T, what string, o outcome, stored []byte, cause error) {
	t.Helper()
	var e *codec.Error
	switch {
	case o.err == nil:
		t.Errorf("%s: got a clean end after %d bytes, want an error", what, len(o.data))
		return
	case !errors.As(o.err, &e):
		t.Errorf("%s: got %T (%v), want a *codec.Error", what, o.err, o.err)
		return
	case e.Codec != s.c.Name, e.DecodedOffset != int64(len(o.data)), e.StoredOffset < 0, e.StoredOffset > int64(len(stored)):
		t.Errorf("%s: got %+v; want codec %s, decoded offset %d, stored offset of at most %d",
			what, *e, s.c.Name, len(o.data), len(stored))
	}
	want := causes
	if cause != nil {
		want = []error{cause}
	}
	if !slices.ContainsFunc(want, func(c error) bool { return errors.Is(o.err, c) }) {
		t.Errorf("%s: got %v, want one of %v", what, o.err, want)
	}
}

// begins checks that o gave the beginning of want.
func begins(t *testing.T, what string, o outcome, want []byte) {
	t.Helper()
	if !bytes.HasPrefix(want, o.data) {
		t.Errorf("%s: got %d bytes that are not the beginning of the data", what, len(o.data))
	}
}
