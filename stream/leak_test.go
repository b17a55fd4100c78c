package stream_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"testing"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/stream"
)

// failingCheckpoint fails in one method.
type failingCheckpoint struct {
	memCheckpoint
	load, save, close error
}

func (c *failingCheckpoint) Load(ctx context.Context) ([]byte, error) {
	if c.load != nil {
		return nil, c.load
	}
	return c.memCheckpoint.Load(ctx)
}

func (c *failingCheckpoint) Save(ctx context.Context, m []byte) error {
	if c.save != nil {
		return c.save
	}
	return c.memCheckpoint.Save(ctx, m)
}

func (c *failingCheckpoint) Close() error { return c.close }

// However a read ends, the pool is as it was before: no floor, claim, permit or
// byte stays taken. Per lane the stages add up to the wall in every case.
func TestNothingIsLeftTaken(t *testing.T) {
	data := corpus.NDJSONBytes(1, 8000)
	enc := encode(t, "zstd", data)
	broken := errors.New("broken")
	s := store(t, map[string][]byte{"a.ndjson.zst": enc, "b.ndjson": data, "c.zst": enc[:len(enc)/2], "d.gz": encode(t, "gzip", data)})
	pool := stream.NewPool(&stream.PoolOptions{Memory: 64 << 20, Workers: 2})
	read := stream.ReadOptions{Pool: pool}
	check := func(name string) {
		t.Helper()
		if memory, claims, permits := pool.Held(); memory != 0 || claims != 0 || permits != 0 {
			t.Errorf("%s: %d bytes, %d claims, %d permits are still taken", name, memory, claims, permits)
		}
	}
	failing := func(n int, err error) stream.Sink {
		return stream.SinkFunc(func(ctx context.Context, _ *stream.Batch) error {
			if n--; n < 0 {
				return err
			}
			return nil
		})
	}
	jobs := map[string]func(ctx context.Context, cancel func(), o *stream.Options) (*stream.Report, error){
		"drained": func(ctx context.Context, _ func(), o *stream.Options) (*stream.Report, error) {
			o.OnObjectError = stream.SkipClasses()
			return stream.Backfill(ctx, s.List(nil), stream.Discard, o)
		},
		"object error": func(ctx context.Context, _ func(), o *stream.Options) (*stream.Report, error) {
			return stream.Backfill(ctx, s.List(nil), stream.Discard, o)
		},
		"sink error": func(ctx context.Context, _ func(), o *stream.Options) (*stream.Report, error) {
			o.Lanes = 1
			return stream.Backfill(ctx, s.List(nil), failing(3, broken), o)
		},
		"stop": func(ctx context.Context, _ func(), o *stream.Options) (*stream.Report, error) {
			o.Lanes = 1
			return stream.Backfill(ctx, s.List(nil), failing(3, stream.Stop), o)
		},
		"no writer": func(ctx context.Context, _ func(), o *stream.Options) (*stream.Report, error) {
			return stream.Backfill(ctx, s.List(nil), noWriter{}, o)
		},
		"no sink": func(ctx context.Context, _ func(), o *stream.Options) (*stream.Report, error) {
			return stream.Backfill(ctx, s.List(nil), nil, o)
		},
		"unknown codec": func(ctx context.Context, _ func(), o *stream.Options) (*stream.Report, error) {
			o.Read.Codec = "nope"
			return stream.Backfill(ctx, s.List(nil), stream.Discard, o)
		},
		"unknown framer": func(ctx context.Context, _ func(), o *stream.Options) (*stream.Report, error) {
			o.Read.Frame = "nope"
			return stream.Backfill(ctx, s.List(nil), stream.Discard, o)
		},
		"load fails": func(ctx context.Context, _ func(), o *stream.Options) (*stream.Report, error) {
			o.Checkpoint = &failingCheckpoint{load: broken}
			return stream.Backfill(ctx, s.List(nil), stream.Discard, o)
		},
		"save fails": func(ctx context.Context, _ func(), o *stream.Options) (*stream.Report, error) {
			o.Checkpoint = &failingCheckpoint{save: broken}
			return stream.Backfill(ctx, s.List(nil), stream.Discard, o)
		},
		"close fails": func(ctx context.Context, _ func(), o *stream.Options) (*stream.Report, error) {
			o.Checkpoint = &failingCheckpoint{close: broken}
			return stream.Backfill(ctx, s.List(nil), stream.Discard, o)
		},
		"canceled before": func(ctx context.Context, cancel func(), o *stream.Options) (*stream.Report, error) {
			cancel()
			return stream.Backfill(ctx, s.List(nil), stream.Discard, o)
		},
		"canceled within": func(ctx context.Context, cancel func(), o *stream.Options) (*stream.Report, error) {
			return stream.Backfill(ctx, s.List(nil), stream.SinkFunc(func(ctx context.Context, _ *stream.Batch) error {
				cancel()
				return ctx.Err()
			}), o)
		},
		"source fails": func(ctx context.Context, _ func(), o *stream.Options) (*stream.Report, error) {
			src := blob.Source{Store: s, Name: "x", Objects: func(context.Context, blob.Mark) iter.Seq2[blob.Object, error] {
				return func(yield func(blob.Object, error) bool) { yield(blob.Object{}, broken) }
			}}
			return stream.Backfill(ctx, src, stream.Discard, o)
		},
	}
	for name, run := range jobs {
		ctx, cancel := context.WithCancel(t.Context())
		rep, err := run(ctx, cancel, &stream.Options{Lanes: 3, Read: read, CheckpointEvery: time.Millisecond})
		cancel()
		if (err == nil) != (name == "drained" || name == "stop") {
			t.Errorf("%s: got %v", name, err)
		}
		check(name)
		for i, l := range rep.PerLane {
			if l.Sum() != rep.Wall {
				t.Errorf("%s, lane %d: stages add up to %v, wall is %v", name, i, l.Sum(), rep.Wall)
			}
		}
		if sum := rep.Stages.Sum(); sum != rep.Wall*time.Duration(rep.Lanes) {
			t.Errorf("%s: stages add up to %v, want %d × %v", name, sum, rep.Lanes, rep.Wall)
		}
		if (rep.Error != "") != (err != nil) || rep.Complete() {
			t.Errorf("%s: report says %q, complete %v", name, rep.Error, rep.Complete())
		}
	}

	for _, key := range []string{"missing", "", "a.ndjson.zst", "b.ndjson", "c.zst"} {
		r, err := stream.Open(t.Context(), s, key, &stream.OpenOptions{Read: read})
		if err == nil {
			io.CopyN(io.Discard, r, 1000)
			r.Close()
		}
		check("Open " + key)
		for range stream.Records(t.Context(), s, key, &stream.RecordsOptions{Read: read}) {
			break
		}
		check("Records abandoned " + key)
		for range stream.Records(t.Context(), s, key, &stream.RecordsOptions{Read: read}) {
		}
		check("Records " + key)
		func() {
			defer func() { recover() }()
			for range stream.Records(t.Context(), s, key, &stream.RecordsOptions{Read: read}) {
				panic("of the caller")
			}
		}()
		check("Records with a panic " + key)
	}
	for _, opts := range []stream.ReadOptions{{Pool: pool, Codec: "nope"}, {Pool: pool, Frame: "nope"}, {Pool: pool, Codec: "gzip"}, {Pool: pool, Frame: "tar"}} {
		if r, err := stream.Open(t.Context(), s, "b.ndjson", &stream.OpenOptions{Read: opts}); err == nil {
			r.Close()
		}
		for range stream.Records(t.Context(), s, "b.ndjson", &stream.RecordsOptions{Read: opts}) {
		}
		check("Open and Records with " + opts.Codec + opts.Frame)
	}
}
