package frame_test

import (
	stdtar "archive/tar"
	"errors"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/frame/frametest"
)

// TestRefusedAtTheEnd holds that what is refused at the end of an object is
// refused once, also by a Scanner that is told of the end again.
func TestRefusedAtTheEnd(t *testing.T) {
	t.Parallel()
	archive := tarOf(t, stdtar.FormatUSTAR, "a", "abc")
	for _, c := range []struct{ framer, name, in string }{
		{"tar", "nothing", ""},
		{"tar", "no end mark", archive[:1024]},
		{"tar", "cut in a file", archive[:700]},
		{"tar", "cut in a header", archive[:1100]},
		{"tar", "bytes after the end mark", archive + "text"},
		{"tar", "last header bad", strings.Replace(archive, "a", "b", 1)},
		{"tar", "cut in a pax header", paxEntry('x', "comment="+strings.Repeat("c", 600))[:700]},
		{"json-array", "nothing", ""},
		{"json-array", "white space", " \n"},
		{"json-array", "not closed", "[1,2"},
		{"json-array", "cut after a comma", "[1,2,"},
		{"json-array", "open bracket alone", "["},
		{"json-array", "cut in an element", `[1,{"a":"b\u00`},
		{"json", "cut", `{"a":1}{"b":`},
		{"csv", "quote that is not closed", "a,b\n1,\"x"},
		{"csv:ragged=error", "last row ragged", "a,b\n1"},
		{"fixed:10", "cut", "abc"},
		{"varint", "cut in the length", "\x80"},
		{"varint", "cut", "\x05abc"},
		{"u16le", "cut in the length", "\x05"},
		{"u32be", "cut", "\x00\x00\x00\x09abc"},
		{"tfrecord", "cut", "abc"},
		{"recordio", "cut", writers["recordio"]("text")[:9]},
		{"recordio", "cut in parts", recordPart(1, "text")},
		{"warc", "cut in the header", "WARC/1.0\r\nContent-Le"},
		{"warc", "cut", "WARC/1.0\r\nContent-Length: 100\r\n\r\nabc"},
		{"warc", "no version", "text"},
	} {
		for _, size := range [][2]int{{0, 0}, {1, 1}, {7, 3}, {512, 0}} {
			for _, late := range []bool{false, true} {
				d := &frametest.Driver{Framer: lookup(t, c.framer), Slab: size[0], Chunk: size[1], Late: late, Skip: true}
				_, skipped, err := d.Split([]byte(c.in))
				if skipped != 1 || err != nil && !errors.Is(err, frame.ErrNoResync) {
					t.Errorf("%s, %s, slab %d, chunk %d, late %v: got %d skipped, %v, want 1", c.framer, c.name, size[0], size[1], late, skipped, err)
				}
			}
		}
		f := lookup(t, c.framer)
		s, err := f.New(&frame.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ends, err := s.Scan([]byte(c.in), true, nil)
		if err == nil {
			t.Fatalf("%s, %s: no error", c.framer, c.name)
		}
		from := 0
		if len(ends) > 0 {
			from = int(ends[len(ends)-1])
		}
		if n, done := s.(frame.Resyncer).Resync([]byte(c.in[from:]), true); !done || n != len(c.in)-from {
			t.Errorf("%s, %s: Resync left out %d, done %v, want all", c.framer, c.name, n, done)
		}
		if _, err := s.Scan(nil, true, nil); err != nil && !errors.Is(err, frame.ErrNoResync) {
			t.Errorf("%s, %s, told of the end again: got %v, want no error", c.framer, c.name, err)
		}
	}
}
