package stream_test

import (
	"context"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/stream"
)

// publishingWriter keeps the records of one object, and publishes them once it has ended.
type publishingWriter struct {
	key       string
	ids       []string
	published map[string][][]string // by key: the ids of each time
	written   map[string]int        // how often each record was written
}

func (w *publishingWriter) Write(_ context.Context, b *stream.Batch) error {
	time.Sleep(time.Second)
	for rec := range b.All() {
		w.ids = append(w.ids, rec.ID())
		w.written[rec.ID()]++
	}
	return nil
}

func (w *publishingWriter) Flush(context.Context) error {
	w.published[w.key] = append(w.published[w.key], w.ids)
	return nil
}

func (w *publishingWriter) Close() error { return nil }

// A drained job with an ObjectWriter reads the object that it had begun from its start in
// the next run, and no other. Each object is published once.
func TestDrainWholeObjects(t *testing.T) {
	data := corpus.NDJSONBytes(1, 3000)
	records := len(lines(data))
	synctest.Test(t, func(t *testing.T) {
		src := store(t, map[string][]byte{"a.ndjson": data, "b.ndjson": data, "c.ndjson": data}).List(nil)
		published, written := map[string][][]string{}, map[string]int{}
		sink := stream.PerObject(func(_ context.Context, obj blob.Object) (stream.Writer, error) {
			return &publishingWriter{key: obj.Key, published: published, written: written}, nil
		})
		cp := &memCheckpoint{}
		run := func(after time.Duration) *stream.Report {
			drain := make(chan struct{})
			timer := time.AfterFunc(after, func() { close(drain) })
			defer timer.Stop()
			rep, err := stream.Backfill(t.Context(), src, sink, &stream.Options{Lanes: 1, Checkpoint: cp, CheckpointEvery: time.Hour, Drain: drain})
			if err != nil {
				t.Fatal(err)
			}
			return rep
		}
		// One object takes some seconds: this is in the middle of the second.
		first := run(7*time.Second + time.Second/2)
		if !first.Stopped || first.Finished || len(published) != 1 {
			t.Fatalf("got stopped %v, finished %v, %d objects published; want a job drained in its second object", first.Stopped, first.Finished, len(published))
		}
		begun := len(written) - records
		if begun <= 0 || begun >= records {
			t.Fatalf("%d records of the second object were written, want some of %d", begun, records)
		}
		if second := run(time.Hour); !second.Complete() || second.Earlier.Delivered() != int64(records) {
			t.Errorf("got complete %v, %d records of the run before, want all and %d", second.Complete(), second.Earlier.Delivered(), records)
		}
		twice := 0
		for _, n := range written {
			twice += n - 1
		}
		if twice != begun || len(written) != 3*records {
			t.Errorf("%d of %d records came twice, want the %d that the first run had begun", twice, len(written), begun)
		}
		for _, key := range slices.Sorted(maps.Keys(published)) {
			if got := published[key]; len(got) != 1 || len(got[0]) != records {
				t.Errorf("%s was published %d times", key, len(got))
			}
		}
	})
}
