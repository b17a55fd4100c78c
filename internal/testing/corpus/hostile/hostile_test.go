package hostile_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/testing/corpus/hostile"
)

// TestObjects: every object is of the size that was asked for, and its codec reads
// it to a clean end or, where that is its point, to a limit or an error of the last
// bytes. An object that was refused at once would measure nothing.
func TestObjects(t *testing.T) {
	t.Parallel()
	const size = 200 << 10
	seen := map[string]bool{}
	for _, o := range hostile.Objects() {
		if seen[o.Codec+o.Name] {
			t.Errorf("%s, %s: twice", o.Codec, o.Name)
		}
		seen[o.Codec+o.Name] = true
		stored := o.Make(size)
		if len(stored) < size/2 || len(stored) > size+size/2 {
			t.Errorf("%s, %s: got %d bytes, want about %d", o.Codec, o.Name, len(stored), size)
		}
		if !bytes.Equal(stored, o.Make(size)) {
			t.Errorf("%s, %s: got other bytes the second time", o.Codec, o.Name)
		}
		c, err := codec.Default().Lookup(o.Codec)
		if err != nil {
			t.Fatalf("%s: %v", o.Name, err)
		}
		d, err := c.NewReader(bytes.NewReader(stored), new(codec.Options))
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(io.Discard, d)
		var e *codec.Error
		switch {
		case err == nil:
		case errors.As(err, &e) && (e.StoredOffset > int64(len(stored)/2) || slices.Contains(refused, o.Name)):
		default:
			t.Errorf("%s, %s: got %v", o.Codec, o.Name, err)
		}
		d.Close()
	}
}

// refused are objects that are not read to their end, by the limit that they meet.
var refused = []string{
	"blocks with a Huffman table of all literals in a few bits", "blocks with three FSE tables for a sequence", "beginnings of streams", "skippable chunks that read as 4 MiB of data", "skippable chunks that read as data",
}
