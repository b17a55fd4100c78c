package frame_test

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/frame/frametest"
)

// warcRecord is a record without the two line ends after it.
func warcRecord(block string) string {
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: resource\r\ncontent-length: %d\r\n\r\n%s", len(block), block)
}

func TestWARC(t *testing.T) {
	t.Parallel()
	const end = "\r\n\r\n"
	one, two, long := warcRecord("one"), warcRecord("\r\nWARC/1.0\r\n\r\n"), warcRecord(strings.Repeat("long\n", 2000))
	feeds := strings.ReplaceAll(one, "\r\n", "\n")
	lines := strings.Replace(one, "WARC-Type", strings.Repeat("a: b\r\n", 6000)+"WARC-Type", 1)
	line := strings.Replace(one, "resource", strings.Repeat("resource", 12_500), 1)
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
		{Name: "header without end", In: "WARC/1.0\r\n" + strings.Repeat("a: b\r\n", 6000), Err: io.ErrUnexpectedEOF},
		{Name: "header of 6,000 lines", In: lines + end, Want: []string{lines}},
		{Name: "line of 100 KB in a header", In: line + end + one + end, Want: []string{line, one}},
		{Name: "length in a line of 300 bytes", In: strings.Replace(one, ": 3", ":"+strings.Repeat(" ", 300)+"3", 1) + end, Err: frame.ErrRecord},
		{Name: "version within a header", In: "WARC/1.0\r\na: b\r\n" + one + end, Err: frame.ErrRecord},
	})
	checkSkip(t, lookup(t, "warc"), one+end+long+end+one+end, one+" "+one, 1)
	checkSkip(t, lookup(t, "warc"), one+end+"text\r\n"+one+end+one+end, one+" "+one+" "+one, 1)
	checkSkip(t, lookup(t, "warc"), one+end+strings.Replace(one, "3", "2", 1)+end+one+end, one+" "+one, 1)
}

// TestWARCSkips holds that one bad record costs itself alone: the record after it
// follows, whatever is wrong, wherever it stands and however the slabs lie.
func TestWARCSkips(t *testing.T) {
	t.Parallel()
	const end = "\r\n\r\n"
	record := func(name string) string { return warcRecord(name + " block\n") }
	head, block, _ := strings.Cut(record("bad"), end)
	of := func(length int) string {
		return "WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: " + strconv.Itoa(length) + end
	}
	version := "see\r\nWARC/1.0\r\nWARC-Type: example\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
	for _, bad := range []struct{ name, raw string }{
		{"no block and one line end", of(0) + "\r\n"},
		{"one line end after the block", record("bad") + "\r\n"},
		{"line feed after the block", record("bad") + "\n"},
		{"carriage return after the block", record("bad") + "\r"},
		{"no line end after the block", record("bad")},
		{"no line end after a block without one", of(3) + "abc"},
		{"length two too large", of(len(block)+2) + block + end},
		{"length three too large", of(len(block)+3) + block + end},
		{"length four too large", of(len(block)+4) + block + end},
		{"length into the next header", of(len(block)+30) + block + end},
		{"length over the next records", of(len(block)+250) + block + end},
		{"length over the rest", of(len(block)+1000) + block + end},
		{"length too small", of(len(block)-4) + block + end},
		{"length of nothing", of(0) + block + end},
		{"no length", "WARC/1.0\r\nWARC-Type: resource\r\n\r\n" + block + end},
		{"length that is no number", "WARC/1.0\r\nContent-Length: x\r\n\r\n" + block + end},
		{"no empty line after the header", head + "\r\n" + block + end},
		{"version that is none", "WORC" + record("bad")[4:] + end},
		{"text", "some text\r\n"},
		{"text without a line end", "some text"},
		{"NUL", "\x00"},
		{"version within the block, no line end after it", of(len(version)) + version},
		{"over the limit", warcRecord(strings.Repeat("x", 3000)) + end},
		{"over the limit, one line end after the block", warcRecord(strings.Repeat("x", 3000)) + "\r\n"},
		{"over the limit, no line end after the block", warcRecord(strings.Repeat("x", 3000))},
		{"header over the limit", strings.Replace(record("bad"), "resource", strings.Repeat("resource", 300), 1) + end},
	} {
		for at := range 4 {
			var in strings.Builder
			var want []string
			for i, name := range []string{"one", "two", "three", "four"} {
				if i == at {
					in.WriteString(bad.raw)
				}
				in.WriteString(record(name) + end)
				want = append(want, record(name))
			}
			for _, size := range [][2]int{{1, 1}, {16, 0}, {100, 7}, {512, 0}, {0, 0}} {
				d := &frametest.Driver{Framer: lookup(t, "warc"), Options: &frame.Options{MaxRecord: 2000}, Slab: size[0], Chunk: size[1], Skip: true}
				records, skipped, err := d.Split([]byte(in.String()))
				var got []string
				for _, r := range records {
					got = append(got, string(r.Data))
				}
				if err != nil || skipped != 1 || !equalStrings(got, want) {
					t.Errorf("%s before record %d, slab %d, chunk %d: got %d records %q, %d skipped, %v, want all 4 and 1", bad.name, at, size[0], size[1], len(got), got, skipped, err)
				}
			}
		}
	}
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
	fuzz(f, lookup(f, "warc"), nil, warcRecord("one")+"\r\n\r\n"+warcRecord("")+"\n\n",
		warcRecord("one")+"\r\n"+warcRecord(""), warcRecord("one")+"\x00"+strings.Replace(warcRecord("one"), "3", "300", 1)+"\r\n\r\n"+warcRecord("")+"\r\n\r\n")
}
