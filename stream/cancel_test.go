package stream_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/archive"
)

// endless decodes a few stored bytes to zeros without end, and never asks for more
// bytes: nothing but its caller can look at the context.
type endless struct {
	io.Reader
	read func(p []byte)
}

func (d endless) Read(p []byte) (int, error) {
	clear(p)
	d.read(p)
	return len(p), nil
}
func (d endless) Reset(io.Reader) error { return nil }
func (d endless) Close() error          { return nil }

// withEndless has a codec that calls read for each slab.
func withEndless(read func(p []byte)) *codec.Registry {
	all := codec.Default().Clone()
	all.Register(codec.Codec{Name: "endless", NewReader: func(io.Reader, *codec.Options) (codec.Decoder, error) {
		return endless{read: read}, nil
	}})
	return all
}

// The end of the context is seen within a slab, whatever the lane does with what it
// has already.
func TestCancelIsPrompt(t *testing.T) {
	t.Parallel()
	const before = 20 // slabs until the context ends
	s := store(t, map[string][]byte{"a": []byte("few")})
	job := func(lanes int, o stream.ReadOptions, policy stream.Policy) func(context.Context, *codec.Registry) error {
		return func(ctx context.Context, all *codec.Registry) error {
			o.Codec, o.Codecs = "endless", all
			_, err := stream.Backfill(ctx, s.List(nil), stream.Discard, &stream.Options{Lanes: lanes, Read: o, OnRecordError: policy})
			return err
		}
	}
	skip := stream.SkipClasses()
	for _, tc := range []struct {
		why string
		run func(context.Context, *codec.Registry) error
	}{
		{"records", job(1, stream.ReadOptions{Frame: "fixed:1000"}, nil)},
		{"an oversized record is left out", job(1, stream.ReadOptions{Frame: "lines", Oversized: stream.SkipOversized, MaxRecord: 1000}, nil)},
		{"by the policy", job(1, stream.ReadOptions{Frame: "lines", MaxRecord: 1000}, skip)},
		{"an oversized record is cut", job(1, stream.ReadOptions{Frame: "lines", Oversized: stream.TruncateOversized, MaxRecord: 1000}, nil)},
		{"Open", func(ctx context.Context, all *codec.Registry) error {
			r, err := stream.Open(ctx, s, "a", &stream.OpenOptions{Read: stream.ReadOptions{Codec: "endless", Codecs: all}})
			if err != nil {
				return err
			}
			defer r.Close()
			_, err = io.Copy(io.Discard, r)
			return err
		}},
		{"Records", func(ctx context.Context, all *codec.Registry) (last error) {
			for _, err := range stream.Records(ctx, s, "a", &stream.RecordsOptions{Read: stream.ReadOptions{Codec: "endless", Codecs: all, Frame: "fixed:1000"}}) {
				last = err
			}
			return last
		}},
		{"up to a resumed record", func(ctx context.Context, all *codec.Registry) error {
			cp := &memCheckpoint{}
			n := 0
			stop := stream.SinkFunc(func(context.Context, *stream.Batch) error {
				if n++; n > 1000 {
					return stream.Stop
				}
				return nil
			})
			o := &stream.Options{Lanes: 1, Checkpoint: cp, Read: stream.ReadOptions{Codec: "endless", Codecs: withEndless(func([]byte) {}), Frame: "fixed:1000"}}
			if _, err := stream.Backfill(context.WithoutCancel(ctx), s.List(nil), stop, o); err != nil {
				return err
			}
			o.Read.Codecs = all
			_, err := stream.Backfill(ctx, s.List(nil), stream.Discard, o)
			return err
		}},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		slabs := 0
		err := tc.run(ctx, withEndless(func([]byte) {
			switch slabs++; {
			case slabs == before:
				cancel()
			case slabs > 1000*before:
				panic(tc.why + ": the end of the context is not seen")
			}
		}))
		cancel()
		if stream.ClassOf(err) != stream.ClassCanceled || slabs > before+1 {
			t.Errorf("%s: got %v and %d slabs, want the end of the context within one after %d", tc.why, err, slabs, before)
		}
	}
}

// A source that never looks at the context is not listed on.
func TestCancelEndsListings(t *testing.T) {
	t.Parallel()
	s := store(t, nil)
	const before = 1000
	for what, run := range map[string]func(context.Context, blob.Source) error{
		"Backfill": func(ctx context.Context, src blob.Source) error {
			_, err := stream.Backfill(ctx, src, stream.Discard, nil)
			return err
		},
		"Shard": func(ctx context.Context, src blob.Source) error {
			_, err := stream.Backfill(ctx, blob.Shard(src, 1, 1<<30), stream.Discard, nil)
			return err
		},
		"archive.NewPlan": func(ctx context.Context, src blob.Source) error {
			_, err := archive.NewPlan(ctx, src, nil)
			return err
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		src := blob.Source{Store: s, Name: "x", Objects: func(context.Context, blob.Mark) iter.Seq2[blob.Object, error] {
			return func(yield func(blob.Object, error) bool) {
				for n < 1000*before {
					if n++; n == before {
						cancel()
					}
					if !yield(blob.Object{Key: fmt.Sprintf("%09d/", n)}, nil) {
						return
					}
				}
			}
		}}
		if err := run(ctx, src); stream.ClassOf(err) != stream.ClassCanceled || n > before+1 {
			t.Errorf("%s: got %v after %d objects, want the end of the context after %d", what, err, n, before)
		}
		cancel()
	}
}
