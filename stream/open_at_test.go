package stream_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/codec/seek"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/stream"
)

// indexOf is an index of stored bytes.
func indexOf(t *testing.T, name string, stored []byte) *seek.Index {
	t.Helper()
	c, err := codec.Default().Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	d, err := c.NewReader(bytes.NewReader(stored), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	ix, err := seek.NewIndexer(d, name, &seek.IndexerOptions{Spacing: 64 << 10})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, ix); err != nil {
		t.Fatal(err)
	}
	x, err := ix.Index()
	if err != nil || x.Len() == 0 {
		t.Fatalf("got %v and %d points, want some", err, x.Len())
	}
	return x
}

// From any offset a Reader returns what is there. With an index it decodes from the
// last point before it.
func TestOpenAtOffset(t *testing.T) {
	t.Parallel()
	data := corpus.NDJSONBytes(1, 20000)
	end := int64(len(data))
	for _, name := range []string{"gzip", "zstd", "none"} {
		stored := encode(t, name, data)
		s := store(t, map[string][]byte{"a": stored})
		for _, x := range []*seek.Index{nil, indexOf(t, "gzip", encode(t, "gzip", data))} {
			if x != nil && name != "gzip" {
				continue
			}
			for _, offset := range []int64{0, 1, 300_000, end - 1, end} {
				r, err := stream.Open(t.Context(), s, "a", &stream.OpenOptions{Offset: offset, Index: x})
				if err != nil {
					t.Errorf("%s at %d: %v", name, offset, err)
					continue
				}
				got, err := io.ReadAll(r)
				r.Close()
				if err != nil || !bytes.Equal(got, data[offset:]) {
					t.Errorf("%s at %d: got %d bytes and %v, want %d", name, offset, len(got), err, end-offset)
				}
				if n := r.Report().Counts.Decoded; x != nil && offset == end-1 && n > end/2 {
					t.Errorf("%s at %d with an index: decoded %d of %d bytes", name, offset, n, end)
				}
			}
		}
	}
}

func TestOpenAtOffsetRefuses(t *testing.T) {
	t.Parallel()
	data := corpus.NDJSONBytes(1, 20000)
	stored := encode(t, "gzip", data)
	s := store(t, map[string][]byte{"a": stored})
	x := indexOf(t, "gzip", stored)
	short := *x
	short.Decoded--
	end := int64(len(data))
	for _, tt := range []struct {
		why  string
		opts stream.OpenOptions
		want error
	}{
		{"below zero", stream.OpenOptions{Offset: -1}, fs.ErrInvalid},
		{"past the end", stream.OpenOptions{Offset: end + 1}, fs.ErrInvalid},
		{"past the end of the index", stream.OpenOptions{Offset: end + 1, Index: x}, fs.ErrInvalid},
		{"another codec", stream.OpenOptions{Index: x, Read: stream.ReadOptions{Codec: "zstd"}}, fs.ErrInvalid},
		{"another object", stream.OpenOptions{Object: &blob.Object{Size: 1}, Index: x}, seek.ErrOtherVersion},
		{"another key", stream.OpenOptions{Object: &blob.Object{Key: "b", Size: -1}}, fs.ErrInvalid},
		{"another version", stream.OpenOptions{Object: &blob.Object{Version: "other", Size: -1}}, blob.ErrChanged},
		{"another end than in the index", stream.OpenOptions{Offset: end - 5, Index: &short}, codec.ErrCorrupt},
	} {
		r, err := stream.Open(t.Context(), s, "a", &tt.opts)
		if err == nil {
			_, err = io.Copy(io.Discard, r)
			r.Close()
		}
		if _, ok := errors.AsType[*stream.Error](err); !ok || !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.why, err, tt.want)
		}
	}
	for _, err := range stream.Records(t.Context(), s, "a", &stream.RecordsOptions{Object: &blob.Object{Key: "b"}}) {
		if !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("Records: got %v, want %v", err, fs.ErrInvalid)
		}
	}
}
