package inflate_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/thaw-go/thaw/internal/decode/inflate"
	"github.com/thaw-go/thaw/internal/testing/chunks"
)

// TestSources decodes the same stream from sources that give it in different
// pieces, and leaves what comes after it where it was.
func TestSources(t *testing.T) {
	t.Parallel()
	text := mixed(150_000)
	after := "what comes after the stream"
	for _, level := range []int{-2, 1, 6} {
		data := deflate(text, level, 20_000)
		for _, s := range chunks.Sources {
			src := s.Open(append(data[:len(data):len(data)], after...))
			r := inflate.NewReader(src)
			got, err := io.ReadAll(r)
			if err != nil || string(got) != text || r.Consumed() != int64(len(data)) {
				t.Errorf("level %d, %s: got %d bytes, %d consumed and %v, want %d and %d", level, s.Name, len(got), r.Consumed(), err, len(text), len(data))
			}
			if rest, _ := io.ReadAll(src); string(rest) != after {
				t.Errorf("level %d, %s: got %q after the stream, want %q", level, s.Name, rest, after)
			}
		}
	}
}

// TestReads takes the output in pieces of many sizes.
func TestReads(t *testing.T) {
	t.Parallel()
	text := mixed(300_000)
	data := deflate(text, 6, 1<<20)
	for _, size := range []int{1, 2, 3, 7, 64, 257, 258, 259, 4095, 32767, 32768, 32769, 1 << 17, 1 << 20} {
		r := inflate.NewReader(bufio.NewReader(bytes.NewReader(data)))
		var got []byte
		p := make([]byte, size)
		for {
			n, err := r.Read(p)
			got = append(got, p[:n]...)
			if r.Given() != int64(len(got)) {
				t.Fatalf("size %d: got %d as given, want %d", size, r.Given(), len(got))
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("size %d: %v", size, err)
			}
		}
		if string(got) != text {
			t.Errorf("size %d: got %d bytes, want %d; first difference at %d", size, len(got), len(text), difference(got, []byte(text)))
		}
	}
	if err := iotest.TestReader(inflate.NewReader(bufio.NewReader(bytes.NewReader(data))), []byte(text)); err != nil {
		t.Error(err)
	}
	var b bytes.Buffer
	n, err := inflate.NewReader(bufio.NewReader(bytes.NewReader(data))).WriteTo(&b)
	if n != int64(len(text)) || err != nil || b.String() != text {
		t.Errorf("WriteTo: got %d bytes and %v, want %d", n, err, len(text))
	}
}

// TestNoWait reads what a source has given so far without asking it for more.
func TestNoWait(t *testing.T) {
	t.Parallel()
	text := lines(5000)
	data := deflate(text, 6, 1000) // a flush every 1000 bytes
	stuck := errors.New("asked for more")
	cut := bytes.Index(data, []byte{0, 0, 0xff, 0xff}) + 4 // the empty stored block of the first flush
	r := inflate.NewReader(bufio.NewReader(io.MultiReader(bytes.NewReader(data[:cut]), iotest.ErrReader(stuck))))
	got := make([]byte, 5000)
	n, err := io.ReadAtLeast(r, got, 1000)
	if err != nil || string(got[:n]) != text[:1000] {
		t.Fatalf("got %d bytes and %v, want 1000", n, err)
	}
	for range 2 {
		_, err = r.Read(got)
		e, ok := errors.AsType[*inflate.Error](err)
		if !ok || !errors.Is(err, stuck) || e.Offset != int64(cut) || e.Decoded != 1000 {
			t.Fatalf("got %v, want the source's error at %d", err, cut)
		}
	}
}

// TestAfterEnd repeats the end and the errors, and reuses the Reader.
func TestAfterEnd(t *testing.T) {
	t.Parallel()
	data := deflate("some text", 6, 100)
	src := bufio.NewReader(bytes.NewReader(data))
	r := inflate.NewReader(src)
	if n, err := r.Read(nil); n != 0 || err != nil {
		t.Errorf("got %d and %v from an empty read", n, err)
	}
	for _, c := range []struct {
		data []byte
		err  error
	}{{data, io.EOF}, {data[:3], errTruncated}, {[]byte{7}, errCorrupt}, {nil, errTruncated}, {data, io.EOF}} {
		src.Reset(bytes.NewReader(c.data))
		r.Reset(src)
		io.Copy(io.Discard, r)
		for range 3 {
			if n, err := r.Read(make([]byte, 8)); n != 0 || cause(err) != c.err {
				t.Errorf("%x: got %d and %v, want %v", c.data, n, err, c.err)
			}
		}
		if p, ok := r.Point(); ok {
			t.Errorf("%x: got a point %v after the end", c.data, p)
		}
	}
}
