package stream_test

import (
	"errors"
	"io"
	"testing"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/stream"
)

// short is a Decoder of another author that reports the end after left bytes, whatever
// follows them.
type short struct {
	src  io.Reader
	left int
}

func (s *short) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	n, err := s.src.Read(p[:min(len(p), s.left)])
	s.left -= n
	return n, err
}
func (s *short) Reset(src io.Reader) error { s.src = src; return nil }
func (s *short) Close() error              { return nil }

// A decoder's word is no proof of the end: stored bytes that it left are an error, after
// the records before them.
func TestEndIsProven(t *testing.T) {
	const data = "one\ntwo\nthree\n"
	for _, tt := range []struct {
		why     string
		left    int
		records int
		want    error // nil: the end is clean
	}{
		{"all is read", len(data), 3, nil},
		{"a byte is left", len(data) - 1, 3, codec.ErrTrailing},
		{"records are left", len("one\n"), 1, codec.ErrTrailing},
	} {
		all := codec.Default().Clone()
		all.Register(codec.Codec{Name: "short", NewReader: func(src io.Reader, _ *codec.Options) (codec.Decoder, error) {
			return &short{src, tt.left}, nil
		}})
		read := stream.ReadOptions{Codecs: all, Codec: "short"}
		s := store(t, map[string][]byte{"a": []byte(data)})
		c := newCollector()
		rep, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(c.write), &stream.Options{Read: read})
		if !errors.Is(err, tt.want) || rep.Complete() != (tt.want == nil) {
			t.Errorf("%s: got %v, complete %v; want %v", tt.why, err, rep.Complete(), tt.want)
		}
		if clean := c.last["a"] == 1; clean != (tt.want == nil) {
			t.Errorf("%s: got %d batches that end the object", tt.why, c.last["a"])
		}
		n := 0
		for _, err = range stream.Records(t.Context(), s, "a", &stream.RecordsOptions{Read: read}) {
			if err == nil {
				n++
			}
		}
		// Without its line break the last line is a record once the end is proven alone.
		if most := tt.records; !errors.Is(err, tt.want) || n > most || n < most-1 {
			t.Errorf("%s: Records: got %d, %v; want %d, %v", tt.why, n, err, tt.records, tt.want)
		}
	}
}
