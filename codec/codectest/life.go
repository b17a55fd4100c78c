package codectest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime/pprof"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/codec"
)

// emptyReads: a read of nothing has no effect, wherever it happens.
func (s suite) emptyReads(t *testing.T) {
	for _, v := range s.f.vectors(t) {
		d := s.open(t, bytes.NewReader(v.Stored), nil)
		var got []byte
		p := make([]byte, 1000)
		for {
			if n, err := d.Read(nil); n != 0 || err != nil && err != io.EOF {
				t.Fatalf("%s: Read of nothing: got %d, %v", v.Name, n, err)
			}
			n, err := d.Read(p)
			got = append(got, p[:n]...)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: got %v", v.Name, err)
			}
		}
		if !bytes.Equal(got, v.Decoded) {
			t.Errorf("%s: got %d bytes, want %d", v.Name, len(got), len(v.Decoded))
		}
		d.Close()
	}
}

// reset: a Decoder begins again from any state as if just opened.
func (s suite) reset(t *testing.T) {
	vs := s.f.vectors(t)
	d := s.open(t, bytes.NewReader(nil), nil)
	defer d.Close()
	again := func(v Vector, src io.Reader) outcome {
		if err := d.Reset(src); err != nil {
			t.Fatalf("%s: Reset: got %v, want nil", v.Name, err)
		}
		return read(t, d, 64<<10)
	}
	for _, v := range vs {
		// Unread, half read, cut, failed and ended.
		d.Reset(bytes.NewReader(v.Stored))
		d.Reset(bytes.NewReader(v.Stored))
		d.Read(make([]byte, 1+len(v.Decoded)/2))
		again(v, bytes.NewReader(v.Stored[:len(v.Stored)/2]))
		again(v, failing(v.Stored[:len(v.Stored)/3]))
		for range 2 {
			if o := again(v, bytes.NewReader(v.Stored)); o.err != nil || !bytes.Equal(o.data, v.Decoded) {
				t.Errorf("%s after Reset: got %v, want %d bytes", v.Name, o, len(v.Decoded))
			}
			if p, ok := d.(codec.Positioned); ok && p.StoredOffset() != int64(len(v.Stored)) {
				t.Errorf("%s after Reset: got stored offset %d, want %d", v.Name, p.StoredOffset(), len(v.Stored))
			}
		}
	}
}

// close: Close ends a Decoder in any state, twice, and no goroutine is started.
func (s suite) close(t *testing.T) {
	labels := pprof.Labels(goroutineLabel, t.Name())
	pprof.Do(t.Context(), labels, func(context.Context) {
		for _, v := range s.f.vectors(t) {
			for _, n := range []int{0, 1, len(v.Decoded) / 2, len(v.Decoded) + 1} {
				s.closeAfter(t, v, n)
			}
		}
	})
}

func (s suite) closeAfter(t *testing.T, v Vector, n int) {
	d := s.open(t, bytes.NewReader(v.Stored), nil)
	if n > 0 {
		io.ReadFull(d, make([]byte, n))
	}
	if n := goroutines(t.Name()); n != 1 {
		t.Errorf("%s: got %d goroutines while open, want the reader's alone", v.Name, n)
	}
	for range 2 {
		if err := d.Close(); err != nil {
			t.Errorf("%s: Close: got %v, want nil", v.Name, err)
		}
	}
	if n, err := d.Read(make([]byte, 1)); n != 0 || err == nil || err == io.EOF {
		t.Errorf("%s: Read after Close: got %d, %v; want an error", v.Name, n, err)
	}
	if err := d.Reset(bytes.NewReader(v.Stored)); err == nil {
		t.Errorf("%s: Reset after Close: got nil, want an error", v.Name)
	}
}

// goroutineLabel marks the goroutines of a test: one that it starts inherits the
// label, and those of tests beside it have another.
const goroutineLabel = "codectest"

// goroutines counts those of a test.
func goroutines(test string) (n int) {
	var profile bytes.Buffer
	pprof.Lookup("goroutine").WriteTo(&profile, 1)
	mark := fmt.Sprintf("%q:%q", goroutineLabel, test)
	for entry := range strings.SplitSeq(profile.String(), "\n\n") {
		if strings.Contains(entry, mark) {
			lines := strings.Split(entry, "\n")
			for _, line := range lines {
				var count int
				if _, err := fmt.Sscanf(line, "%d @", &count); err == nil {
					n += count
				}
			}
		}
	}
	return n
}
