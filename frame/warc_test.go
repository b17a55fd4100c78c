package frame_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/frame/frametest"
)

// warcRecord is a record without the two line ends behind it.
func warcRecord(block string) string {
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: resource\r\ncontent-length: %d\r\n\r\n%s", len(block), block)
}

func TestWARC(t *testing.T) {
	t.Parallel()
	const end = "\r\n\r\n"
	one, two, long := warcRecord("one"), warcRecord("\r\nWARC/1.0\r\n\r\n"), warcRecord(strings.Repeat("long\n", 2000))
	feeds := strings.ReplaceAll(one, "\r\n", "\n")
	frametest.Run(t, lookup(t, "warc"), []frametest.Case{
		{Name: "empty", In: ""},
		{Name: "records", In: one + end + two + end + long + end + one + end, Want: []string{one, two, long, one}},
		{Name: "empty block", In: warcRecord("") + end, Want: []string{warcRecord("")}},
		{Name: "line feeds alone", In: feeds + "\n\n" + feeds + "\n\n", Want: []string{feeds, feeds}},
		{Name: "empty lines", In: "\r\n" + one + end + "\r\n\n" + two + end + "\r\n", Want: []string{one, two}},
		{Name: "cut in a header", In: one + end + two[:20], Want: []string{one}, Err: io.ErrUnexpectedEOF},
		{Name: "cut in a block", In: one + end + long[:500], Want: []string{one}, Err: io.ErrUnexpectedEOF},
		{Name: "cut behind a block", In: one + end + two, Want: []string{one}, Err: io.ErrUnexpectedEOF},
		{Name: "cut in the line ends", In: one + end + two + end[:3], Want: []string{one}, Err: io.ErrUnexpectedEOF},
		{Name: "no version", In: one + end + "GET / HTTP/1.1\r\n\r\n", Want: []string{one}, Err: frame.ErrRecord},
		{Name: "no length", In: one + end + "WARC/1.0\r\n\r\n", Want: []string{one}, Err: frame.ErrRecord},
		{Name: "length that is no number", In: strings.Replace(one, "3", "-3", 1) + end, Err: frame.ErrRecord},
		{Name: "length that is too small", In: strings.Replace(one, "3", "2", 1) + end, Err: frame.ErrRecord},
		{Name: "header without end", In: "WARC/1.0\r\n" + strings.Repeat("a: b\r\n", 6000), Err: frame.ErrRecord},
	})
	checkSkip(t, lookup(t, "warc"), one+end+long+end+one+end, one+" "+one, 1)
	checkSkip(t, lookup(t, "warc"), one+end+"text\r\n"+one+end+one+end, one+" "+one+" "+one, 1)
	checkSkip(t, lookup(t, "warc"), one+end+strings.Replace(one, "3", "2", 1)+end+one+end, one+" "+one, 1)
}

// TestWARCAtEdges moves a slab's edge over every byte of headers, blocks and the
// line ends between them.
func TestWARCAtEdges(t *testing.T) {
	t.Parallel()
	want := []string{warcRecord("\r\n"), warcRecord(""), warcRecord("WARC/1.0\r\n\"\\"), warcRecord("x")}
	data := strings.Join(want, "\r\n\r\n") + "\r\n\r\n"
	for slab := range len(data) + 3 {
		for _, chunk := range []int{0, 7} {
			check(t, lookup(t, "warc"), func(string) ([]string, error) { return want, nil }, data, [][2]int{{slab, chunk}})
		}
	}
}

func FuzzWARC(f *testing.F) {
	fuzz(f, lookup(f, "warc"), nil, warcRecord("one")+"\r\n\r\n"+warcRecord("")+"\n\n")
}
