package stream_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/stream"
)

// An object of no bytes under the name of a codec was cut: no codec writes one.
// Under another name it is a result.
func TestEmptyObjects(t *testing.T) {
	for _, tc := range []struct {
		why, key  string
		codec     string // explicit
		truncated bool
	}{
		{why: "no name", key: "a"},
		{why: "plain name", key: "a.ndjson"},
		{why: "gzip", key: "a.ndjson.gz", truncated: true},
		{why: "zstd", key: "a.zst", truncated: true},
		{why: "packed extension", key: "a.tgz", truncated: true},
		{why: "no magic", key: "a.br", truncated: true},
		{why: "asked for", key: "a", codec: "lz4", truncated: true},
		{why: "asked for plain", key: "a.gz", codec: "none"},
	} {
		t.Run(tc.why, func(t *testing.T) {
			s := store(t, map[string][]byte{tc.key: nil})
			read := stream.ReadOptions{Codec: tc.codec}
			var got error
			for _, err := range stream.Records(t.Context(), s, tc.key, &stream.RecordsOptions{Read: read}) {
				got = err
			}
			if errors.Is(got, io.ErrUnexpectedEOF) != tc.truncated || tc.truncated && stream.ClassOf(got) != stream.ClassTruncated {
				t.Errorf("Records: got %v, want truncated %v", got, tc.truncated)
			}
			c := newCollector()
			rep, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(c.write), &stream.Options{
				Read: read, OnObjectError: stream.SkipClasses(stream.ClassTruncated),
			})
			if err != nil || rep.Complete() == tc.truncated || (rep.Counts.Skipped.Objects == 1) != tc.truncated {
				t.Errorf("Backfill: got %v, complete %v, counts %+v", err, rep.Complete(), rep.Counts)
			}
		})
	}
}

// Long frames to be skipped, in front of what is of lz4 and zstd, do not hide which
// of the two it is.
func TestSkippableFrames(t *testing.T) {
	data := corpus.NDJSONBytes(1, 100)
	for _, name := range []string{"lz4", "zstd"} {
		for _, size := range []int{5, 5000, 127 << 10, 200 << 10, 3 << 20} {
			skipped := binary.LittleEndian.AppendUint32([]byte("\x51\x2a\x4d\x18"), uint32(size))
			skipped = append(skipped, make([]byte, size)...)
			stored := append(skipped, encode(t, name, data)...)
			for _, key := range []string{"a", "a.lz4", "a.zst"} {
				r, err := stream.Open(t.Context(), store(t, map[string][]byte{key: stored}), key, nil)
				if err != nil {
					t.Fatalf("%s behind %d bytes as %s: %v", name, size, key, err)
				}
				got, err := io.ReadAll(r)
				if err != nil || !bytes.Equal(got, data) || r.Detection().Codec != name {
					t.Errorf("%s behind %d bytes as %s: got %d bytes of %s, %v; want %d", name, size, key, len(got), r.Detection().Codec, err, len(data))
				}
				r.Close()
				info, err := codec.Inspect(bytes.NewReader(stored), int64(len(stored)), &codec.InspectOptions{Key: key})
				if err != nil || info.Detection.Codec != name {
					t.Errorf("Inspect of %s behind %d bytes as %s: got %s, %v", name, size, key, info.Detection.Codec, err)
				}
			}
		}
	}
}

// What names of codecs are called is unsupported, and known before anything is read.
func TestUnknownCodec(t *testing.T) {
	s := store(t, map[string][]byte{"a": nil})
	for _, name := range []string{"zstandard", "gzip,zstandard", "gzip,gzip,gzip,gzip,gzip"} {
		_, err := stream.Open(t.Context(), s, "a", &stream.OpenOptions{Read: stream.ReadOptions{Codec: name}})
		if !errors.Is(err, codec.ErrUnsupported) && !errors.Is(err, codec.ErrLimit) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
