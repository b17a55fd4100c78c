package stream_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/frame/frametest"
	"github.com/thaw-go/thaw/internal/testing/corpus/manifest"
	"github.com/thaw-go/thaw/stream"
)

// edges writes data with a token at a chosen distance from places where slabs may
// end.
type edges struct {
	frame       string
	first, last string   // around all
	small       string   // a record
	open, close string   // around text that tokens stand in
	tokens      []string // at the places
}

// data has token at by bytes from every multiple of 32 KiB, behind a few small
// records and what is left of one.
func (e edges) data(token string, by int) string {
	var b strings.Builder
	b.WriteString(e.first)
	for to := 32 << 10; to <= 160<<10; to += 32 << 10 {
		b.WriteString(strings.Repeat(e.small, 20) + e.open)
		b.WriteString(strings.Repeat("x", to+by-b.Len()))
		b.WriteString(token + e.close)
	}
	b.WriteString(e.last)
	return b.String()
}

// A boundary, a quote, an escape and a line end within two bytes of where a slab
// ends change nothing: the records are those of the whole data in one piece.
func TestRecordsAtSlabEdges(t *testing.T) {
	for _, e := range []edges{
		{frame: "lines", small: "some text\n", close: "\n", tokens: []string{"\n", "\r\n", "\r", "\n\n", "\r\n\r\n"}},
		{frame: "ndjson", small: "{\"a\": 1}\n", open: "\"", close: "\"\n", tokens: []string{"\"\n\"", "\"\r\n\"", "\\n", "\"\n \n\""}},
		{frame: "csv", small: "1,\"x \"\"y\"\"\",z\r\n", open: "7,\"", close: "\"\n", tokens: []string{"\"\"\n", "\"\"\"\"\r\n", "\"\n\"", "\"\r\n\"", "\",\"\n", "\r\n", "\"\n\n\""}},
		{frame: "csv:header,ragged=error", first: "a,b\n", small: "1,2\n", open: "7,\"", close: "\"\n", tokens: []string{"\"\"\n", "\"\n8,\"", "\n"}},
		{frame: "json", small: "{\"a\": [1, \"\\\\\"]} ", open: `{"k":"`, close: `"}`, tokens: []string{`\"`, `\\`, `\u00e9`, `"}{"k":"`, `"} 12 {"k":"`}},
		{frame: "json-array", first: "[", small: `{"a":1},`, open: `["`, close: `"],`, tokens: []string{`\"`, `\\`, `\u00e9`, `"],["`, `"] , ["`}, last: "0]"},
		{frame: "delim:0d0a", small: "text\r\n", close: "\r\n", tokens: []string{"\r\n", "\r\r\n", "\n\r"}},
		{frame: `regexp:^\d`, small: "1 text\n\tat\n", open: "2 ", close: "\n", tokens: []string{"\n3", "\r\n3", "\n\n4", "\n"}},
	} {
		t.Run(e.frame, func(t *testing.T) {
			f, err := frame.Default().Lookup(e.frame)
			if err != nil {
				t.Fatal(err)
			}
			read := stream.ReadOptions{Frame: e.frame, Pool: stream.NewPool(&stream.PoolOptions{Memory: 256 << 20, Workers: 1})}
			for i, token := range e.tokens {
				for by := -2 - len(token); by <= 2; by++ {
					data := e.data(token, by)
					want, err := frametest.Split(f, []byte(data), 0, 0)
					if err != nil {
						t.Fatal(err)
					}
					codec := []string{"none", "lz4"}[i%2]
					s := store(t, map[string][]byte{"o": encode(t, codec, []byte(data))})
					if msg := sameRecords(t, s, &read, want); msg != "" {
						t.Errorf("%q %d bytes from the edges, %s: %s", token, by, codec, msg)
					}
				}
			}
		})
	}
}

// sameRecords says how the records of the object o differ from want.
func sameRecords(t *testing.T, s *blob.Store, read *stream.ReadOptions, want []frametest.Record) string {
	n := 0
	for rec, err := range stream.Records(t.Context(), s, "o", &stream.RecordsOptions{Read: *read}) {
		switch {
		case err != nil:
			return fmt.Sprintf("got %v behind %d records, want %d", err, n, len(want))
		case n == len(want):
			return fmt.Sprintf("got more than %d records", n)
		case string(rec.Data) != string(want[n].Data) || rec.Offset != want[n].Offset || rec.Index != int64(n):
			return fmt.Sprintf("record %d: got index %d at %d, %.40q, want %d, %.40q", n, rec.Index, rec.Offset, rec.Data, want[n].Offset, want[n].Data)
		}
		n++
	}
	if n != len(want) {
		return fmt.Sprintf("got %d records, want %d", n, len(want))
	}
	return ""
}

// A row with another number of fields than the header condemns itself alone, and
// the header's number is known to a run that begins in the middle.
func TestRaggedRows(t *testing.T) {
	const rows = 40000
	var b strings.Builder
	b.WriteString("id,name\n")
	var want []string
	for i := range rows {
		row := fmt.Sprintf("%d,\"name, of %d\"", i, i)
		if i%1000 == 999 {
			b.WriteString(row + ",more\n")
			continue
		}
		b.WriteString(row + "\n")
		want = append(want, row)
	}
	s := store(t, map[string][]byte{"a.csv.gz": encode(t, "gzip", []byte(b.String()))})
	read := stream.ReadOptions{Frame: "csv:header,ragged=error"}
	if rep, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, &stream.Options{Read: read}); stream.ClassOf(err) != stream.ClassBadRecord || rep.Complete() {
		t.Errorf("got %v, complete %v, want a bad record", err, rep.Complete())
	}
	skipping := stream.Options{Lanes: 1, Read: read, OnRecordError: stream.SkipClasses(stream.ClassBadRecord)}
	if rep, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, &skipping); err != nil || rep.Counts.RecordsSkipped != rows/1000 {
		t.Errorf("got %d skipped, %v, want %d", rep.Counts.RecordsSkipped, err, rows/1000)
	}
	c := newCollector()
	skipping.Checkpoint = &memCheckpoint{}
	runs := 0
	for done := false; !done; runs++ {
		n := 0
		rep, err := stream.Backfill(t.Context(), s.List(nil), stopping{stream.SinkFunc(c.write), &n, 3}, &skipping)
		if err != nil {
			t.Fatal(err)
		}
		done = !rep.Stopped
	}
	if !slices.Equal(c.records["a.csv.gz"], want) || runs < 3 {
		t.Errorf("got %d records in %d runs, want %d in some", len(c.records["a.csv.gz"]), runs, len(want))
	}
}

// Compressed files of the corpus that are text inside have the number of lines and
// of rows that its manifest says.
func TestCorpusRecords(t *testing.T) {
	tried := 0
	for _, f := range manifest.Files(t) {
		name, given := byName[f.Format]
		_, detected := magical[f.Format]
		kind, text, _ := strings.Cut(f.Records, "=")
		text, _, _ = strings.Cut(text, " ") // "lines=5 bad_json=1"
		want, err := strconv.Atoi(text)
		framer := map[string]string{"lines": "lines", "csv_rows": "csv"}[kind]
		if !given && !detected || framer == "" || err != nil || !f.Allowed().OK {
			continue
		}
		s := folderStore(t, filepath.Dir(f.Path))
		defer s.Close()
		n := 0
		for _, err := range stream.Records(t.Context(), s, filepath.Base(f.Path), &stream.RecordsOptions{Read: stream.ReadOptions{Codec: name, Frame: framer}}) {
			if err != nil {
				t.Errorf("%s: %v", f.Name, err)
				break
			}
			n++
		}
		if n != want {
			t.Errorf("%s as %s: got %d records, want %d", f.Name, framer, n, want)
		}
		tried++
	}
	if tried < 100 {
		t.Errorf("got %d files, want more", tried)
	}
}
