package frame_test

import (
	"bytes"
	stdcsv "encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/frame/frametest"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// dialect is what differs between framers of CSV.
type dialect struct {
	comma                       byte
	open, empty, header, ragged bool
	unquoted                    bool
}

// referenceCSV is csv written for clarity, a byte at a time.
func referenceCSV(d dialect) reference {
	return func(data string) (records []string, err error) {
		data = strings.TrimPrefix(data, "\ufeff")
		var record []byte
		width, rows := 0, 0 // of the first row; rows so far
		row := func(text string, fields int) error {
			if rows++; rows == 1 {
				if width = fields; d.header {
					return nil
				}
			}
			if d.ragged && fields != width {
				return frame.ErrRecord
			}
			records = append(records, text)
			return nil
		}
		quoted, field, fields := false, true, 1 // field: the next byte is a field's first
		for i := 0; i < len(data); i++ {
			c := data[i]
			record = append(record, c)
			switch {
			case quoted && strings.HasPrefix(data[i:], `""`):
				record = append(record, '"')
				i++
			case quoted && c == '"':
				quoted = false
			case quoted:
			case c == '"' && field && !d.unquoted:
				quoted, field = true, false
			case c == d.comma:
				field = true
				fields++
			case c == '\n':
				text := strings.TrimSuffix(strings.TrimSuffix(string(record), "\n"), "\r")
				if text != "" || d.empty {
					if err := row(text, fields); err != nil {
						return records, err
					}
				}
				record, field, fields = nil, true, 1
			default:
				field = false
			}
		}
		if quoted && !d.open {
			return records, io.ErrUnexpectedEOF
		}
		if len(record) > 0 {
			text, fed := strings.CutSuffix(string(record), "\n")
			if fed { // within quotes that the end closes
				text = strings.TrimSuffix(text, "\r")
			}
			err = row(text, fields)
		}
		return records, err
	}
}

func TestCSV(t *testing.T) {
	t.Parallel()
	field := strings.Repeat("text\n", 40<<10)
	frametest.Run(t, lookup(t, "csv"), []frametest.Case{
		{Name: "empty", In: ""},
		{Name: "header is a record", In: "a,b\n1,2\n", Want: []string{"a,b", "1,2"}},
		{Name: "last needs no line feed", In: "a\r\nb", Want: []string{"a", "b"}},
		{Name: "quoted line feed", In: "1,\"a\nb\",2\n3", Want: []string{"1,\"a\nb\",2", "3"}},
		{Name: "carriage returns in quotes stay", In: "\"a\r\nb\rc\"\r\n\"\r\n\"", Want: []string{"\"a\r\nb\rc\"", "\"\r\n\""}},
		{Name: "doubled quotes", In: "\"\"\"\n\"\"\",\"\"\n\"a\"\"\nb\"\n", Want: []string{"\"\"\"\n\"\"\",\"\"", "\"a\"\"\nb\""}},
		{Name: "quote within a field is data", In: "a\"b\nc\"\n5\" pipe,\"x\"\n", Want: []string{"a\"b", "c\"", "5\" pipe,\"x\""}},
		{Name: "text behind a closing quote", In: "\"a\"b\"c\n\"d\" \"\ne\n", Want: []string{"\"a\"b\"c", "\"d\" \"", "e"}},
		{Name: "lone carriage return is data", In: "a\rb\n", Want: []string{"a\rb"}},
		{Name: "empty lines are skipped", In: "\n\r\na\n\n\r\n\nb\n\n", Want: []string{"a", "b"}},
		{Name: "empty lines alone", In: "\n\r\n\n"},
		{Name: "line of a space", In: " \n", Want: []string{" "}},
		{Name: "ragged", In: "a,b\n1\n1,2,3\n", Want: []string{"a,b", "1", "1,2,3"}},
		{Name: "NUL", In: "a,\x00b\n\x00\n", Want: []string{"a,\x00b", "\x00"}},
		{Name: "byte order mark before a quote", In: "\ufeff\"a\nb\"\nc", Want: []string{"\"a\nb\"", "c"}},
		{Name: "byte order mark alone", In: "\ufeff"},
		{Name: "byte order mark elsewhere is data", In: "a\n\ufeff\"b\nc\"", Want: []string{"a", "\ufeff\"b", "c\""}},
		{Name: "unterminated quote", In: "a\n\"b\nc\n", Want: []string{"a"}, Err: io.ErrUnexpectedEOF},
		{Name: "unterminated behind a doubled quote", In: "a\n\"\"\"", Want: []string{"a"}, Err: io.ErrUnexpectedEOF},
		{Name: "field of 200 KiB full of line feeds", In: "a,b\n1,\"" + field + "\"\n2\n", Want: []string{"a,b", "1,\"" + field + "\"", "2"}},
	})
	frametest.Run(t, lookup(t, "tsv"), []frametest.Case{
		{Name: "quote that is not closed", In: "a\t\"b\nc\td\n", Want: []string{"a\t\"b", "c\td"}},
		{Name: "quotes around a line end", In: "a\t\"b\nc\"\n", Want: []string{"a\t\"b", "c\""}},
		{Name: "quotes everywhere", In: "\"\n\"\"\r\n\"a\"\t\"\n\n\"\"\"", Want: []string{"\"", "\"\"", "\"a\"\t\"", "\"\"\""}},
		{Name: "byte order mark", In: "\ufeff\"a\n\"b", Want: []string{"\"a", "\"b"}},
	})
	frametest.Run(t, lookup(t, "csv:comma=09"), []frametest.Case{
		{Name: "tab, quoted", In: "a\t\"b\nc\"\t,\"d\n", Want: []string{"a\t\"b\nc\"\t,\"d"}},
	})
	frametest.Run(t, lookup(t, "csv:header,unquoted,ragged=error"), []frametest.Case{
		{Name: "quotes in the header", In: "\"a,b\n1,\"2\n\",\"\n", Want: []string{"1,\"2", "\",\""}},
		{Name: "quotes hide no comma", In: "a,b\n1,\"2,3\"\n", Err: frame.ErrRecord},
	})
	frametest.Run(t, lookup(t, "csv:open"), []frametest.Case{
		{Name: "the end closes a quote", In: "a\n\n\"b\nc", Want: []string{"a", "\"b\nc"}},
		{Name: "behind a line feed", In: "\"a\n\nb\r\n", Want: []string{"\"a\n\nb"}},
		{Name: "behind a doubled quote", In: "a\n\"\"\"", Want: []string{"a", "\"\"\""}},
	})
	frametest.Run(t, lookup(t, "csv:empty"), []frametest.Case{
		{Name: "empty lines", In: "\n\r\na\n\n\"\n\"\n", Want: []string{"", "", "a", "", "\"\n\""}},
		{Name: "byte order mark", In: "\ufeff\n\na", Want: []string{"", "", "a"}},
		{Name: "unterminated quote", In: "\n\"", Want: []string{""}, Err: io.ErrUnexpectedEOF},
	})
	frametest.Run(t, lookup(t, "csv:header"), []frametest.Case{
		{Name: "header", In: "a,b\n1,2\n3,4", Want: []string{"1,2", "3,4"}},
		{Name: "alone", In: "a,b"},
		{Name: "alone, with a line end", In: "\n\na,b\r\n\r\n"},
		{Name: "behind empty lines and before some", In: "\ufeff\n\"a\n\",\"\"\"\"\r\n\n\r\n1\n", Want: []string{"1"}},
		{Name: "unterminated quote", In: "a,\"b\n1,2\n", Err: io.ErrUnexpectedEOF},
		{Name: "ragged", In: "a,b\n1\n", Want: []string{"1"}},
	})
	frametest.Run(t, lookup(t, "csv:header,empty"), []frametest.Case{
		{Name: "empty lines", In: "\n\n1\n", Want: []string{"", "1"}},
	})
	frametest.Run(t, lookup(t, "csv:ragged=error"), []frametest.Case{
		{Name: "even", In: "a,b\n\n1,\"x,\ny\"\n\"\"\"\",\"2\"\"x\n\"\r\n", Want: []string{"a,b", "1,\"x,\ny\"", "\"\"\"\",\"2\"\"x\n\""}},
		{Name: "one less", In: "a,b\n1,2\n1\n1,2\n", Want: []string{"a,b", "1,2"}, Err: frame.ErrRecord},
		{Name: "one more", In: "a,b\n1,2,\n", Want: []string{"a,b"}, Err: frame.ErrRecord},
		{Name: "in the last", In: "a,b\n1,2\n1", Want: []string{"a,b", "1,2"}, Err: frame.ErrRecord},
		{Name: "quote within a field hides no comma", In: "a,b\nx\"1,2\"\n", Want: []string{"a,b", "x\"1,2\""}},
	})
	frametest.Run(t, lookup(t, "csv:ragged=error,header"), []frametest.Case{
		{Name: "even", In: "\ufeff\na,b\n1,2\n", Want: []string{"1,2"}},
		{Name: "first", In: "\ufeff\na,b\n1\n", Err: frame.ErrRecord},
		{Name: "second", In: "a,b\n1,2\n1,2,3\n", Want: []string{"1,2"}, Err: frame.ErrRecord},
	})
	frametest.Run(t, lookup(t, "csv:comma=7c"), []frametest.Case{
		{Name: "bar", In: "a|\"b\nc\"|,\"d\n", Want: []string{"a|\"b\nc\"|,\"d"}},
	})
}

var csvTokens = []string{"\"", "\"\"", "\n", "\r\n", "\r", ",", "a", "\ufeff", ",\"", "\"\n"}

func TestCSVAgainstReference(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		dialect
	}{
		{"csv", dialect{comma: ','}},
		{"tsv", dialect{comma: '\t', unquoted: true}},
		{"csv:comma=09", dialect{comma: '\t'}},
		{"csv:header,unquoted,ragged=error", dialect{comma: ',', header: true, unquoted: true, ragged: true}},
		{"csv:open,empty,comma=3b", dialect{comma: ';', open: true, empty: true}},
		{"csv:header,ragged=error", dialect{comma: ',', header: true, ragged: true}},
	} {
		f, ref, comma := lookup(t, c.name), referenceCSV(c.dialect), string(c.comma)
		var tokens []string
		for _, token := range csvTokens {
			tokens = append(tokens, strings.ReplaceAll(token, ",", comma))
		}
		checkRandom(t, f, ref, tokens...)
		for _, filler := range []string{"xy", "x" + comma, "x\n", "\"x\n\"" + comma, "\"x\"\n", "\""} {
			checkEdges(t, f, ref, filler, tokens...)
		}
	}
}

// TestCSVSkips holds what follows a record over the limit.
func TestCSVSkips(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("\"\"\n,", 150)
	checkSkip(t, lookup(t, "csv"), "one\n\""+long+"\"\ntwo\n", "one two", 1)
	checkSkip(t, lookup(t, "csv"), "\ufeff\n\r\n\""+long+"\",\"\n\"\ntwo\n", "two", 1)
	checkSkip(t, lookup(t, "csv:empty"), "one\n\n\""+long+"\"\n\ntwo\n", "one   two", 1)
	checkSkip(t, lookup(t, "csv"), "one\n\n"+strings.Repeat("x\",", 250)+"\ntwo", "one two", 1)
	checkSkip(t, lookup(t, "tsv"), "one\n\""+strings.Repeat("\t\"", 300)+"\n\"two\n", "one \"two", 1)
	checkSkip(t, lookup(t, "csv:header"), "a\n\n\""+long+"\"\none\ntwo", "one two", 1)
	checkSkip(t, lookup(t, "csv:header"), "\ufeff\n\""+long+"\"\none\ntwo", "two", 1)
	checkSkip(t, lookup(t, "csv:ragged=error"), "one,\n\""+long+"\",\ntwo,\nthree\n,,\n\n\nfour", "one, two,", 4)
	checkSkip(t, lookup(t, "csv:ragged=error"), "one,\nthree\n,,\n\"four\nx\nfive,", "one,", 2) // and then no later one is found
	checkSkip(t, lookup(t, "csv"), "one\n\"two", "one", 1)
	checkSkip(t, lookup(t, "csv:ragged=error"), "\""+long+"\",\none,\ntwo\nthree,", "one, three,", 2)
	checkSkip(t, lookup(t, "csv:ragged=error,header"), "a,\none\ntwo,\nthree\nfour,", "two, four,", 2)
	checkSkip(t, lookup(t, "csv:ragged=error,header"), "\""+long+"\",\none,\ntwo,\nthree", "two,", 2)
}

// TestCSVNeverClosed holds that all that follows a quote which is never closed is
// not one record that was left out: no later one can be found.
func TestCSVNeverClosed(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("row,\n", 30_000)
	for _, c := range []struct {
		name, framer, in string
		lost             bool
	}{
		{"rows after it", "csv", "one,\n\"two,\nthree,\n", true},
		{"rows after it, over the limit", "csv", "one,\n\"two,\n" + long, true},
		{"rows after it in a header", "csv:header", "\"one,\n\"\"two,\n", true},
		{"no row after it", "csv", "one,\n\"two,", false},
		{"a line alone, over the limit", "csv", "one,\n\"" + strings.Repeat("x", 200_000), false},
		{"closed by the end", "csv:open", "one,\n\"two,\n" + long, false},
		{"closed late", "csv", "one,\n\"two,\n" + long + "\"", false},
	} {
		for _, size := range [][2]int{{0, 0}, {5000, 4999}, {64 << 10, 4096}} {
			d := &frametest.Driver{Framer: lookup(t, c.framer), Options: &frame.Options{MaxRecord: 50}, Slab: size[0], Chunk: size[1], Skip: true}
			if _, _, err := d.Split([]byte(c.in)); errors.Is(err, frame.ErrNoResync) != c.lost || (err != nil) != c.lost {
				t.Errorf("%s, slab %d: got %v, want ErrNoResync: %v", c.name, size[0], err, c.lost)
			}
		}
	}
}

// TestCSVChecksNoFurther holds that what follows a ragged row is not cut into rows
// again for each such row after the first: Scan leaves where it was in the room of ends.
func TestCSVChecksNoFurther(t *testing.T) {
	t.Parallel()
	const most = 2 << 10
	data := []byte("a,b\n" + strings.Repeat("1\n", 64<<10))
	s, err := lookup(t, "csv:ragged=error").New(&frame.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ends := make([]uint32, 0, len(data))
	for at := 4; at < 1000; at += 2 {
		clear(ends[:cap(ends)])
		from := at
		if at == 4 {
			from = 0 // the header too
		}
		if _, err := s.Scan(data[from:], false, ends); !errors.Is(err, frame.ErrRecord) {
			t.Fatalf("row at %d: got %v, want %v", at, err, frame.ErrRecord)
		}
		if far := slices.Max(ends[:cap(ends)]); at > 4 && far > most+8 {
			t.Fatalf("row at %d: looked %d bytes ahead, want at most %d", at, far, most)
		}
		if n, done := s.(frame.Resyncer).Resync(data[at:], false); n != 2 || !done {
			t.Fatalf("row at %d: Resync left out %d, done %v, want 2", at, n, done)
		}
	}
}

func TestCSVNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"csv:", "csv:open,", "csv:comma=", "csv:comma=22", "csv:comma=0a", "csv:comma=2c2c", "csv:lax", "csv:open,unquoted", "csv:ragged", "csv:header=1"} {
		if f, err := frame.Default().Lookup(name); err == nil {
			t.Errorf("Lookup(%q): got %s, want an error", name, f.Name)
		}
	}
}

var csvSeeds = []string{"", "a,\"b\n\"\"\"\r\n\n", "a\t\"b\n\"\"\"\r\n\n", "\ufeff\"a\nb\"", "a\"b\nc"}

func FuzzCSV(f *testing.F) {
	fuzz(f, lookup(f, "csv"), referenceCSV(dialect{comma: ','}), csvSeeds...)
}

func FuzzTSV(f *testing.F) {
	fuzz(f, lookup(f, "tsv"), referenceCSV(dialect{comma: '\t', unquoted: true}), csvSeeds...)
}

func FuzzCSVDialect(f *testing.F) {
	fuzz(f, lookup(f, "csv:open,empty"), referenceCSV(dialect{comma: ',', open: true, empty: true}), csvSeeds...)
}

func FuzzCSVHeader(f *testing.F) {
	fuzz(f, lookup(f, "csv:header,ragged=error"), referenceCSV(dialect{comma: ',', header: true, ragged: true}), csvSeeds...)
}

// csvData is about one slab of rows, with every field quoted or none.
func csvData(quote string) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < benchSlab; i++ {
		fmt.Fprintf(&b, "%d,%[2]suser-%[1]d@example.com%[2]s,%[2]sGET /items/%[1]d?page=%[1]d%[2]s,%[2]sMozilla/5.0 (X11; Linux x86_64)%[2]s,200,%[2]s12.%[1]d%[2]s\n", i, quote)
	}
	return b.Bytes()
}

// BenchmarkCSV sets csv beside encoding/csv.
func BenchmarkCSV(b *testing.B) {
	for _, c := range []struct {
		name string
		data []byte
	}{
		{"none", csvData("")},
		{"some", corpus.CSVBytes(1, 4000)},
		{"strings", csvData("\"")},
	} {
		data := c.data
		b.Run("framer=encoding-csv/quoted="+c.name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				r := stdcsv.NewReader(bytes.NewReader(data))
				r.ReuseRecord = true
				for {
					if _, err := r.Read(); err == io.EOF {
						break
					} else if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
		b.Run("framer=csv/quoted="+c.name, func(b *testing.B) { benchScan(b, lookup(b, "csv"), data) })
	}
}
