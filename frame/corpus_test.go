package frame_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/frame/frametest"
)

// corpusFile is a line of the corpus's manifest.
type corpusFile struct {
	path, format, expected, records, note string
}

// corpusDir is the folder of the corpus; the test is skipped without it.
func corpusDir(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("THAW_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "corpus")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no corpus: %v", err)
	}
	return dir
}

func corpusFiles(t *testing.T, dir string) (files []corpusFile) {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "MANIFEST.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if c := strings.Split(s.Text(), "\t"); len(c) > 9 {
			files = append(files, corpusFile{c[0], c[3], c[5], c[8], c[9]})
		}
	}
	return files
}

// corpusFramer is the framer for a file and how the manifest counts its records.
func corpusFramer(file corpusFile) (framer, count string) {
	base := filepath.Base(file.path)
	switch {
	case filepath.Ext(base) == ".gz" || filepath.Ext(base) == ".parquet":
		return "", ""
	case strings.HasPrefix(file.path, "made/lenpref/u32be"):
		return "u32be", file.records
	case strings.HasPrefix(file.path, "made/lenpref/varint"):
		return "varint", file.records
	case strings.HasPrefix(file.path, "made/csv/"):
		return "csv", file.records
	case strings.HasPrefix(file.path, "made/frames/"):
		framer = map[string]string{".json": "json", ".ndjson": "ndjson"}[filepath.Ext(base)]
		if framer == "" {
			framer = "lines"
		}
		return framer, file.records
	case file.format == "csv":
		count, _ = strings.CutPrefix(file.records, "csv_rows=")
		return "csv", count
	case file.format == "json":
		count, _ = strings.CutPrefix(file.records, "json_docs=")
		return "json", count
	case file.format == "ndjson", file.format == "text":
		fields := strings.Fields(file.records)
		if len(fields) == 0 {
			return "lines", ""
		}
		count, _ = strings.CutPrefix(fields[0], "lines=")
		if file.format == "ndjson" {
			return "ndjson", count
		}
		return "lines", count
	}
	return "", ""
}

// cutQuotes are CSV files that end within quotes, whose last row the manifest
// counts since Python's reader gives what it has.
var cutQuotes = map[string]bool{
	"duckdb/csv/multidelimiter/unterminated_quote_escape.csv":     true,
	"duckdb/csv/multidelimiter/unterminated_quote_multi_line.csv": true,
	"duckdb/csv/test/unterminated.csv":                            true,
}

// emptyRows are CSV files that the manifest counts with their empty lines.
var emptyRows = map[string]int{"duckdb/csv/unescaped_quotes/stops.csv": 1}

// TestCorpus holds every file of text, csv, json and ndjson kinds to its count
// and to an error where the manifest says so.
func TestCorpus(t *testing.T) {
	t.Parallel()
	dir := corpusDir(t)
	tried := 0
	for _, file := range corpusFiles(t, dir) {
		name, count := corpusFramer(file)
		if name == "" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, file.path))
		if err != nil {
			t.Error(err)
			continue
		}
		tried++
		for _, size := range [][2]int{{0, 0}, {4096, 0}, {65536, 0}, {256 << 10, 65537}} {
			d := &frametest.Driver{Framer: lookup(t, name), Options: &frame.Options{MaxRecord: 16 << 20}, Slab: size[0], Chunk: size[1]}
			records, _, err := d.Split(data)
			if errors.Is(err, frametest.ErrContract) {
				t.Errorf("%s: %v", file.path, err)
			}
			wantErr := strings.Contains(file.expected, "then an error") || strings.HasPrefix(file.expected, "error after") ||
				strings.HasPrefix(file.records, "unparsed: Expecting value") || cutQuotes[file.path] || file.path == "made/frames/deep-100000.json"
			if (err != nil) != wantErr {
				t.Errorf("%s as %s: got error %v, want one: %v", file.path, name, err, wantErr)
			}
			want, convErr := strconv.Atoi(count)
			if convErr != nil {
				continue
			}
			want -= emptyRows[file.path]
			if cutQuotes[file.path] {
				want--
			}
			if len(records) != want {
				t.Errorf("%s as %s: got %d records, want %d (%s)", file.path, name, len(records), want, file.expected)
			}
		}
	}
	if tried < 150 {
		t.Errorf("corpus: got %d files, want at least 150", tried)
	}
}

// TestCorpusBadJSON counts the lines of NDJSON files that no parser takes.
func TestCorpusBadJSON(t *testing.T) {
	t.Parallel()
	dir := corpusDir(t)
	for _, file := range corpusFiles(t, dir) {
		_, bad, ok := strings.Cut(file.records, "bad_json=")
		if !ok || file.format != "ndjson" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, file.path))
		if err != nil {
			t.Error(err)
			continue
		}
		lines, err := frametest.Split(lookup(t, "ndjson"), data, 64, 0)
		if err != nil {
			t.Errorf("%s: %v", file.path, err)
		}
		got := 0
		for _, line := range lines {
			if docs, err := frametest.Split(lookup(t, "json"), line.Data, 0, 0); err != nil || len(docs) != 1 {
				got++
			}
		}
		if strconv.Itoa(got) != bad {
			t.Errorf("%s: got %d bad lines, want %s", file.path, got, bad)
		}
	}
}

// TestCorpusWARC counts records of real WARC files.
func TestCorpusWARC(t *testing.T) {
	t.Parallel()
	dir := corpusDir(t)
	files, _ := filepath.Glob(filepath.Join(dir, "warcio", "*.warc.gz"))
	more, _ := filepath.Glob(filepath.Join(dir, "smart-open", "*.warc.gz"))
	for _, path := range append(files, more...) {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(z)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		want := bytes.Count(data, []byte("WARC/1.0\r\n"))
		records, err := frametest.Split(lookup(t, "warc"), data, 1000, 0)
		if err != nil || len(records) != want {
			t.Errorf("%s: got %d records, %v, want %d", filepath.Base(path), len(records), err, want)
		}
	}
	// A block of this file is shorter than its header says, and others follow.
	data, err := os.ReadFile(filepath.Join(dir, "warcio", "example-trunc.warc"))
	if err != nil {
		t.Skip(err)
	}
	d := &frametest.Driver{Framer: lookup(t, "warc"), Skip: true}
	records, skipped, err := d.Split(data)
	if err != nil || len(records) != 3 || skipped != 1 {
		t.Errorf("cut file: got %d records, %d skipped, %v, want 3 and 1", len(records), skipped, err)
	}
}
