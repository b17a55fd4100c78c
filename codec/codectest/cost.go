package codectest

import (
	"bytes"
	"io"
	"testing"
)

// How much an object of tiny members may cost, in counts that do not depend on the
// machine.
const (
	costSize     = 256 << 10
	costRequests = 1 << 10 // stored bytes for each read or request at least
	costReread   = 8       // how often Split reads a stored byte
)

// cost: an object of as many members as fit costs by its bytes. A Decoder asks its
// source no more often than for an object of one member; Split does not ask for each
// header, nor for the same bytes again and again.
func (s suite) cost(t *testing.T) {
	if !s.f.Concatenates || s.f.Encode == nil {
		t.Skip("members do not follow each other, or cannot be made")
	}
	for _, data := range [][]byte{nil, []byte("x")} {
		member := s.f.Encode(data)
		if len(member) == 0 || len(member) > costSize/100 {
			continue
		}
		n := costSize / len(member)
		stored := bytes.Repeat(member, n)
		src := &countedSource{r: bytes.NewReader(stored)}
		d := s.open(t, src, nil)
		size, err := io.Copy(io.Discard, struct{ io.Reader }{d})
		d.Close()
		if err != nil || size != int64(n*len(data)) {
			t.Errorf("%d members of %d bytes: got %d bytes and %v", n, len(data), size, err)
		}
		if most := len(stored)/costRequests + 16; src.reads > most {
			t.Errorf("%d members of %d bytes: got %d reads of the source for %d bytes, want at most %d", n, len(data), src.reads, len(stored), most)
		}
		if s.c.Split == nil {
			continue
		}
		at := &countedSource{at: bytes.NewReader(stored)}
		for _, err := range s.c.Split(at, int64(len(stored))) {
			if err != nil {
				t.Fatalf("%d members of %d bytes: Split: got %v", n, len(data), err)
			}
		}
		if most := len(stored)/costRequests + 64; at.reads > most || at.bytes > costReread*len(stored) {
			t.Errorf("%d members of %d bytes: Split: got %d requests of %d bytes for %d, want at most %d of %d",
				n, len(data), at.reads, at.bytes, len(stored), most, costReread*len(stored))
		}
	}
}

// countedSource counts what is read.
type countedSource struct {
	r            io.Reader
	at           io.ReaderAt
	reads, bytes int
}

func (c *countedSource) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.reads++
	c.bytes += n
	return n, err
}

func (c *countedSource) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.at.ReadAt(p, off)
	c.reads++
	c.bytes += n
	return n, err
}
