package stream_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/stream"
)

// buffering is a Sink whose Writers hold records until Flush.
type buffering struct {
	slow time.Duration              // of each Write
	name func(stream.Record) string // in place of the id; nil is the id

	mu      sync.Mutex
	durable map[string]int // ids, and how often they came
	writes  int
	ended   int // Writes whose context ended meanwhile
}

func (s *buffering) Open(context.Context, int) (stream.Writer, error) {
	return &bufferingWriter{s: s}, nil
}

type bufferingWriter struct {
	s   *buffering
	ids []string
}

func (w *bufferingWriter) Write(ctx context.Context, b *stream.Batch) error {
	select {
	case <-time.After(w.s.slow):
	case <-ctx.Done():
		w.s.mu.Lock()
		w.s.ended++
		w.s.mu.Unlock()
		return ctx.Err()
	}
	for rec := range b.All() {
		id := ""
		if w.s.name != nil {
			id = w.s.name(rec)
		} else {
			id = rec.ID()
		}
		w.ids = append(w.ids, id)
	}
	w.s.mu.Lock()
	w.s.writes++
	w.s.mu.Unlock()
	return nil
}

func (w *bufferingWriter) Flush(context.Context) error {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	for _, id := range w.ids {
		w.s.durable[id]++
	}
	w.ids = w.ids[:0]
	return nil
}

func (w *bufferingWriter) Close() error { return nil }

// A job that drains lets what the sink does end, flushes it and saves: over all runs no
// record comes twice and none is missing, wherever the runs were drained.
func TestDrain(t *testing.T) {
	data := corpus.NDJSONBytes(1, 3000)
	for _, codec := range []string{"none", "gzip", "zstd", "bzip2"} {
		stored := encode(t, codec, data)
		for _, after := range []time.Duration{0, time.Second / 2, 3 * time.Second, 7*time.Second + time.Second/2} {
			synctest.Test(t, func(t *testing.T) {
				objects := map[string][]byte{}
				for i := range 7 {
					objects[fmt.Sprintf("%d.ndjson", i)] = stored
				}
				src := store(t, objects).List(nil)
				sink := &buffering{slow: time.Second, durable: map[string]int{}}
				cp := &memCheckpoint{}
				for run := 0; ; run++ {
					drain := make(chan struct{})
					timer := time.AfterFunc(after+time.Duration(run)*time.Second, func() { close(drain) })
					rep, err := stream.Backfill(t.Context(), src, sink, &stream.Options{
						Lanes: 3, Checkpoint: cp, CheckpointEvery: time.Hour, Drain: drain,
					})
					timer.Stop()
					if err != nil {
						t.Fatalf("%s, run %d: %v", codec, run, err)
					}
					if rep.Finished && !rep.Stopped {
						break
					}
					if !rep.Stopped || rep.Complete() {
						t.Fatalf("%s, run %d: got stopped %v, complete %v, want a job that was stopped", codec, run, rep.Stopped, rep.Complete())
					}
					if run > 100 {
						t.Fatalf("%s: no run ends", codec)
					}
				}
				if want := 7 * len(lines(data)); len(sink.durable) != want {
					t.Errorf("%s, drained after %v: got %d records, want %d", codec, after, len(sink.durable), want)
				}
				for id, n := range sink.durable {
					if n != 1 {
						t.Fatalf("%s, drained after %v: record %s came %d times", codec, after, id, n)
					}
				}
				if sink.ended > 0 {
					t.Errorf("%s: the context of %d Writes ended", codec, sink.ended)
				}
			})
		}
	}
}

// The end of the context ends a job that drains at once, though its sink is still at
// work, and is its error.
func TestDrainInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &buffering{slow: time.Hour, durable: map[string]int{}}
		ctx, cancel := context.WithCancel(t.Context())
		drain := make(chan struct{})
		time.AfterFunc(time.Second, func() { close(drain) })
		time.AfterFunc(5*time.Second, cancel)
		start := time.Now()
		rep, err := stream.Backfill(ctx, store(t, map[string][]byte{"a": []byte("one\n"), "b": []byte("two\n")}).List(nil), sink,
			&stream.Options{Lanes: 2, Drain: drain})
		if took := time.Since(start); !errors.Is(err, context.Canceled) || took != 5*time.Second || rep.Complete() {
			t.Errorf("got %v after %v, complete %v, want the end of the context after 5s", err, took, rep.Complete())
		}
		if sink.ended != 2 || len(sink.durable) > 0 {
			t.Errorf("got %d Writes whose context ended, %d records durable, want 2 and none", sink.ended, len(sink.durable))
		}
	})
}
