package frame_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/frame/frametest"
	"github.com/thaw-go/thaw/internal/testing/corpus/manifest"
)

// others says which framer gives the manifest's count where csv does not, and why.
// The manifest's counts of CSV are those of a reader that checks nothing.
var others = map[string]struct{ framer, reason string }{
	"duckdb/csv/multidelimiter/unterminated_quote_escape.csv":     {"csv:open", openReason},
	"duckdb/csv/multidelimiter/unterminated_quote_multi_line.csv": {"csv:open", openReason},
	"duckdb/csv/test/unterminated.csv":                            {"csv:open", openReason},
	"duckdb/csv/unescaped_quotes/stops.csv":                       {"csv:empty", "its last line is empty, and counted"},
}

// openReason holds of made/csv/unterminated-quote.csv too, where the manifest wants
// the error.
const openReason = "a quote is never closed; csv refuses that row, which is counted"

// corpusFramer is the framer for a file, and how many records the manifest says it
// has, -1 where it does not say. The framer is empty for files that are not text.
func corpusFramer(file manifest.File) (framer string, count int) {
	first, _, _ := strings.Cut(file.Records, " ")
	count, err := strconv.Atoi(first[strings.IndexByte(first, '=')+1:]) // "csv_rows=3" or "3"
	if err != nil {
		count = -1
	}
	name := strings.TrimSuffix(path.Base(file.Name), ".gz") // plain after it: stored decoded
	ext := path.Ext(name)
	switch {
	case others[file.Name].framer != "":
		return others[file.Name].framer, count
	case strings.HasPrefix(file.Name, "made/lenpref/"):
		framer, _, _ = strings.Cut(name, "-")
		return framer, count
	case strings.HasPrefix(file.Name, "made/parquet/"): // a format of another kind
		return "", 0
	case file.Format == "csv", file.Format == "json", file.Format == "ndjson":
		return file.Format, count
	case file.Format == "text" && (ext == ".csv" || ext == ".json" || ext == ".ndjson"):
		return ext[1:], count
	case file.Format == "text":
		return "lines", count
	}
	return "", 0
}

// wantsError says that the manifest wants an error of the framer: in so many words,
// or since no parser takes the JSON.
func wantsError(file manifest.File) bool {
	return strings.Contains(file.Expected, "then an error") || strings.HasPrefix(file.Expected, "error after") ||
		strings.HasPrefix(file.Expected, "error,") || strings.HasPrefix(file.Records, "unparsed: Expecting value")
}

// TestCorpus holds every file of text, csv, json and ndjson kinds to its count
// and to an error where the manifest says so, in slabs and chunks of several sizes.
func TestCorpus(t *testing.T) {
	t.Parallel()
	tried := map[string]int{}
	for _, file := range manifest.Files(t) {
		name, want := corpusFramer(file)
		if name == "" {
			continue
		}
		data, err := os.ReadFile(file.Path)
		if err != nil {
			t.Error(err)
			continue
		}
		tried[file.Format]++
		sizes := [][2]int{{0, 0}, {4096, 4096}, {65536, 0}, {256 << 10, 65537}}
		if len(data) < 2000 {
			sizes = append(sizes, [2]int{1, 1}, [2]int{7, 7}, [2]int{64, 7})
		}
		for _, size := range sizes {
			d := &frametest.Driver{Framer: lookup(t, name), Options: &frame.Options{MaxRecord: 16 << 20}, Slab: size[0], Chunk: size[1]}
			records, _, err := d.Split(data)
			if errors.Is(err, frametest.ErrContract) {
				t.Errorf("%s: %v", file.Name, err)
			}
			if (err != nil) != wantsError(file) {
				t.Errorf("%s as %s: got error %v, want one: %v (%s; %s)", file.Name, name, err, wantsError(file), file.Expected, file.Records)
			}
			if want >= 0 && len(records) != want {
				t.Errorf("%s as %s: got %d records, want %d (%s)", file.Name, name, len(records), want, file.Expected)
			}
		}
	}
	for format, least := range map[string]int{"text": 120, "csv": 50, "json": 15, "ndjson": 7} {
		if tried[format] < least {
			t.Errorf("corpus: got %d files of %s, want at least %d", tried[format], format, least)
		}
	}
}

// TestCorpusOthers holds that csv gives one record less where another framer is
// needed, and says so where it refuses one.
func TestCorpusOthers(t *testing.T) {
	t.Parallel()
	for _, file := range manifest.Files(t) {
		other, ok := others[file.Name]
		if !ok {
			continue
		}
		data, err := os.ReadFile(file.Path)
		if err != nil {
			t.Fatal(err)
		}
		_, count := corpusFramer(file)
		records, err := frametest.Split(lookup(t, "csv"), data, 0, 0)
		if len(records) != count-1 || errors.Is(err, io.ErrUnexpectedEOF) != (other.framer == "csv:open") {
			t.Errorf("%s: got %d records, %v, want %d: %s", file.Name, len(records), err, count-1, other.reason)
		}
	}
}

// TestCorpusBadJSON counts the lines of NDJSON files that no parser takes.
func TestCorpusBadJSON(t *testing.T) {
	t.Parallel()
	for _, file := range manifest.Files(t) {
		_, bad, ok := strings.Cut(file.Records, "bad_json=")
		if !ok || file.Format != "ndjson" {
			continue
		}
		data, err := os.ReadFile(file.Path)
		if err != nil {
			t.Error(err)
			continue
		}
		lines, err := frametest.Split(lookup(t, "ndjson"), data, 64, 0)
		if err != nil {
			t.Errorf("%s: %v", file.Name, err)
		}
		got := 0
		for _, line := range lines {
			if docs, err := frametest.Split(lookup(t, "json"), line.Data, 0, 0); err != nil || len(docs) != 1 {
				got++
			}
		}
		if strconv.Itoa(got) != bad {
			t.Errorf("%s: got %d bad lines, want %s", file.Name, got, bad)
		}
	}
}

// TestCorpusWARC counts the records of real WARC files.
func TestCorpusWARC(t *testing.T) {
	t.Parallel()
	for _, file := range manifest.Files(t) {
		if !strings.HasSuffix(file.Name, ".warc.gz") || !file.Allowed().OK {
			continue
		}
		f, err := os.Open(file.Path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		want := bytes.Count(data, []byte("WARC/1.0\r\n"))
		records, err := frametest.Split(lookup(t, "warc"), data, 1000, 0)
		if err != nil || len(records) != want {
			t.Errorf("%s: got %d records, %v, want %d", file.Name, len(records), err, want)
		}
	}
}

// TestCorpusCutWARC goes on after a block that is shorter than its header says.
func TestCorpusCutWARC(t *testing.T) {
	t.Parallel()
	for _, file := range manifest.Files(t) {
		if file.Name != "warcio/example-trunc.warc" {
			continue
		}
		data, err := os.ReadFile(file.Path)
		if err != nil {
			t.Fatal(err)
		}
		d := &frametest.Driver{Framer: lookup(t, "warc"), Skip: true}
		records, skipped, err := d.Split(data)
		if err != nil || len(records) != 3 || skipped != 1 {
			t.Errorf("got %d records, %d skipped, %v, want 3 and 1", len(records), skipped, err)
		}
	}
}
