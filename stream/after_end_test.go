package stream_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/after"
)

// What the last save covers is acted upon before the job ends: all of it where the job
// drained, for half a minute where it was stopped, and no more once it has failed or its
// context is over. The next run does the rest.
func TestAfterEnd(t *testing.T) {
	t.Parallel()
	failed := errors.New("failed")
	for _, tt := range []struct {
		reason string
		drain  bool          // before anything is acted upon
		cancel time.Duration // 0: never
		sink   error         // of a Write, once 100 objects were written
		err    error
		took   time.Duration // by the job, of actions that take 11 s each
		done   int64
	}{
		{"drained by itself", false, 0, nil, nil, 77 * time.Second, 200}, // 32 at once
		{"drained on request", true, 0, nil, nil, 30 * time.Second, 64},
		{"stopped by the sink", false, 0, stream.Stop, nil, 30 * time.Second, 64},
		{"its context ends", false, 25 * time.Second, nil, context.Canceled, 25 * time.Second, 64},
		{"failed", false, 0, failed, failed, 0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := newAfterCase(t, 200)
			drain, ctx := make(chan struct{}), t.Context()
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			if tt.cancel > 0 {
				defer later(tt.cancel, cancel)()
			}
			do := after.Delete().Do
			slow := &stream.After{Do: func(ctx context.Context, s *blob.Store, obj blob.Object) error {
				select {
				case <-time.After(11 * time.Second):
					return do(ctx, s, obj)
				case <-ctx.Done():
					return ctx.Err()
				}
			}}
			written := 0
			sink := sinkOf{c.sink, func(b *stream.Batch) error {
				if written++; written < 100 {
					return nil
				}
				if tt.drain && written == 100 {
					close(drain)
					time.Sleep(time.Millisecond) // the job hears of it
				}
				return tt.sink
			}}
			began := time.Now()
			rep, err := stream.Backfill(ctx, c.src.List(nil), sink, &stream.Options{
				Lanes: 1, Checkpoint: c.cp, CheckpointEvery: time.Hour, After: c.watch(slow), Drain: drain,
			})
			if took := time.Since(began); !errors.Is(err, tt.err) || took < tt.took || took > tt.took+time.Second || rep.After.Done != tt.done {
				t.Errorf("%s: got %v after %v, %+v, want %v after %v, %d done", tt.reason, err, took, rep.After, tt.err, tt.took, tt.done)
			}
			if rep.Complete() != (rep.After.Pending == 0) || rep.After.Failed > 0 {
				t.Errorf("%s: got complete %v, %+v", tt.reason, rep.Complete(), rep.After)
			}
			rep, err = stream.Backfill(t.Context(), c.src.List(nil), c.sink, &stream.Options{Checkpoint: c.cp, After: c.watch(after.Delete())})
			if err != nil || !rep.Complete() || len(c.keys(c.src)) > 0 {
				t.Errorf("%s: the next run: got %v, complete %v, %d objects left", tt.reason, err, rep.Complete(), len(c.keys(c.src)))
			}
			c.delivered()
		})
	}
}

// sinkOf is a Sink whose Writes end as before says, after what was written.
type sinkOf struct {
	stream.Sink
	end func(*stream.Batch) error
}

func (s sinkOf) Open(ctx context.Context, lane int) (stream.Writer, error) {
	w, err := s.Sink.Open(ctx, lane)
	return writerOf{w, s.end}, err
}

type writerOf struct {
	stream.Writer
	end func(*stream.Batch) error
}

func (w writerOf) Write(ctx context.Context, b *stream.Batch) error {
	if err := w.Writer.Write(ctx, b); err != nil {
		return err
	}
	return w.end(b)
}
