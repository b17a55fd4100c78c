package stream_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/stream"
)

// What holds records in a way that no framer cuts is refused by its name, under any
// codec, for whoever wants records and asks for no framer. Its bytes can be had.
func TestContainers(t *testing.T) {
	const parquet = "PAR1\x15\x04\x15\x10\x15\x14\x4c\x15\x02aa\nbb\ncc\n"
	own := frame.Default().Clone()
	lines, err := frame.Default().Lookup("lines")
	if err != nil {
		t.Fatal(err)
	}
	lines.Name, lines.Extensions = "pages", []string{".parquet"}
	own.Register(lines)
	for _, tc := range []struct {
		why, key, codec string
		data            string
		read            stream.ReadOptions
		records         int // 0: refused
	}{
		{why: "plain", key: "a", codec: "none", data: parquet},
		{why: "under another name", key: "a.csv", codec: "none", data: parquet},
		{why: "plain by choice", key: "a", codec: "none", data: parquet, read: stream.ReadOptions{Codec: "none"}},
		{why: "gzip", key: "a.parquet.gz", codec: "gzip", data: parquet},
		{why: "zstd by its extension alone", key: "a.avro.zst", codec: "zstd", data: "Obj\x01aa\nbb\n"},
		{why: "lz4 without a name", key: "a", codec: "lz4", data: parquet},
		{why: "framer by choice", key: "a", codec: "none", data: parquet, read: stream.ReadOptions{Frame: "lines"}, records: 3},
		{why: "framer by choice under a codec", key: "a", codec: "zstd", data: parquet, read: stream.ReadOptions{Frame: "lines"}, records: 3},
		{why: "a framer for the extension", key: "a.parquet", codec: "none", data: parquet, read: stream.ReadOptions{Framers: own}, records: 3},
		{why: "a framer for the extension under a codec", key: "a.parquet.gz", codec: "gzip", data: parquet, read: stream.ReadOptions{Framers: own}, records: 3},
		{why: "text that begins so", key: "a", codec: "gzip", data: "PAR1 is text\nbb\ncc\n", records: 3},
		{why: "text of four bytes", key: "a", codec: "gzip", data: "PAR1", records: 1},
	} {
		t.Run(tc.why, func(t *testing.T) {
			s := store(t, map[string][]byte{tc.key: encode(t, tc.codec, []byte(tc.data))})
			n, got := 0, error(nil)
			for _, err := range stream.Records(t.Context(), s, tc.key, &stream.RecordsOptions{Read: tc.read}) {
				if got = err; err == nil {
					n++
				}
			}
			if n != tc.records || (got != nil) != (tc.records == 0) {
				t.Errorf("got %d records, %v; want %d", n, got, tc.records)
			}
			if got != nil && (!errors.Is(got, codec.ErrUnsupported) || stream.ClassOf(got) != stream.ClassUnsupported) {
				t.Errorf("got %v of class %v, want %v", got, stream.ClassOf(got), codec.ErrUnsupported)
			}
			c := newCollector()
			rep, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(c.write), &stream.Options{
				Read: tc.read, OnObjectError: stream.SkipClasses(stream.ClassUnsupported),
			})
			if err != nil || rep.Complete() != (tc.records > 0) || len(c.records[tc.key]) != tc.records {
				t.Errorf("Backfill: got %d records, %v, complete %v", len(c.records[tc.key]), err, rep.Complete())
			}
			r, err := stream.Open(t.Context(), s, tc.key, &stream.OpenOptions{Read: tc.read})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if b, err := io.ReadAll(r); err != nil || string(b) != tc.data {
				t.Errorf("Open: got %q, %v; want %q", b, err, tc.data)
			}
			if sure := tc.data == parquet || tc.records == 0; (r.Detection().Container != "") != sure {
				t.Errorf("Open: got container %q, want one: %v", r.Detection().Container, sure)
			}
		})
	}
}

// However slowly the first bytes come, nothing of a container is delivered.
func TestContainerInPieces(t *testing.T) {
	r := codec.Default().Clone()
	r.Register(codec.Codec{
		Name: "drip", Extensions: []string{".drip"},
		NewReader: func(src io.Reader, opts *codec.Options) (codec.Decoder, error) {
			return codec.NewDecoder("drip", src, opts, func(in *codec.Input, first bool) (io.Reader, error) {
				if !first {
					return nil, io.EOF
				}
				return iotest.OneByteReader(in), nil
			})
		},
	})
	const data = "Obj\x01\x04\nx\nx\nx\n\x16avro.schema\n"
	s := store(t, map[string][]byte{"a.drip": []byte(data)})
	n, got := 0, error(nil)
	for _, err := range stream.Records(t.Context(), s, "a.drip", &stream.RecordsOptions{Read: stream.ReadOptions{Codecs: r}}) {
		if got = err; err == nil {
			n++
		}
	}
	if n != 0 || !errors.Is(got, codec.ErrUnsupported) {
		t.Errorf("got %d records, %v; want none and %v", n, got, codec.ErrUnsupported)
	}
}

// Data that is compressed once more than anything says is delivered as it is, with a
// note that says what decodes it.
func TestNotesLayers(t *testing.T) {
	inner := encode(t, "gzip", []byte("{}\n"))
	s := store(t, map[string][]byte{"a": encode(t, "gzip", inner), "b": encode(t, "gzip", inner), "c": inner})
	c := newCollector()
	var ends []codec.Detection
	rep, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(c.write), &stream.Options{
		Lanes: 1, Trace: &stream.Trace{ObjectEnd: func(e stream.ObjectEnd) { ends = append(ends, e.Detection) }},
	})
	if err != nil || !rep.Complete() || len(rep.Notes) != 1 || rep.Notes[0].Objects != 2 || rep.Notes[0].First != "a" || rep.Counts.Doubtful != 0 {
		t.Errorf("got %v, complete %v, notes %+v", err, rep.Complete(), rep.Notes)
	}
	if len(ends) != 3 || len(ends[0].Notes) != 1 || len(ends[1].Notes) != 1 || ends[2].Notes != nil {
		t.Errorf("got detections %+v at the ends", ends)
	}
	r, err := stream.Open(t.Context(), s, "a", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if b, err := io.ReadAll(r); err != nil || !bytes.Equal(b, inner) || len(r.Detection().Notes) != 1 {
		t.Errorf("Open: got %d bytes, %v, notes %q", len(b), err, r.Detection().Notes)
	}
	var got []string
	for rec, err := range stream.Records(t.Context(), s, "a", &stream.RecordsOptions{Read: stream.ReadOptions{Codec: "gzip,gzip"}}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(rec.Data))
	}
	if len(got) != 1 || got[0] != "{}" {
		t.Errorf("both layers: got %q", got)
	}
}

// An object that may have been cut is delivered and counted, and fails where what is
// doubtful is not accepted.
func TestNotesDoubt(t *testing.T) {
	// A block of BGZF with a line, and the one that ends it.
	const block = "\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\xff\x06\x00BC\x02\x00\x20\x00\x01\x02\x00\xfd\xffa\n\x07\xa1\xea\xdd\x02\x00\x00\x00"
	const end = "\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\xff\x06\x00BC\x02\x00\x1b\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	objects := map[string][]byte{
		"cut1.gz": []byte(block), "cut2.gz": []byte(block + block), "whole.gz": []byte(block + end),
		"layers.gz.zst": encode(t, "zstd", []byte(block)),
	}
	s := store(t, objects)
	c := newCollector()
	rep, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(c.write), &stream.Options{Lanes: 1})
	if err != nil || !rep.Complete() || rep.Counts.Doubtful != 3 || rep.Counts.Delivered() != 4+1 {
		t.Errorf("got %v, complete %v, counts %+v", err, rep.Complete(), rep.Counts)
	}
	if len(rep.Notes) == 0 || rep.Notes[0].Objects != rep.Counts.Doubtful || rep.Notes[0].First != "cut1.gz" {
		t.Errorf("got notes %+v", rep.Notes)
	}
	strict := stream.ReadOptions{OnConflict: stream.FailOnConflict}
	for key := range objects {
		whole := key == "whole.gz"
		n, got := 0, error(nil)
		for _, err := range stream.Records(t.Context(), s, key, &stream.RecordsOptions{Read: strict}) {
			if got = err; err == nil {
				n++
			}
		}
		if whole == errors.Is(got, io.ErrUnexpectedEOF) || n == 0 {
			t.Errorf("%s, strict: got %d records, %v", key, n, got)
		}
		r, err := stream.Open(t.Context(), s, key, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(r); err != nil || (len(r.Detection().Notes) == 0) != whole || (r.Report().Counts.Doubtful == 0) != whole {
			t.Errorf("%s: got %v, notes %q, counts %+v", key, err, r.Detection().Notes, r.Report().Counts)
		}
		r.Close()
	}
}
