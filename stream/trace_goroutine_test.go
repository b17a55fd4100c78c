package stream_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/internal/goid"
	"github.com/thaw-go/thaw/stream"
)

// Each hook is called on the goroutine that its comment names, in the order that it
// names.
func TestHooksGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		caller := goid.ID()
		var mu sync.Mutex
		var lane, keeper uint64
		var last string
		var laneEnded atomic.Bool
		on := func(hook string, want *uint64) {
			got := goid.ID()
			mu.Lock()
			defer mu.Unlock()
			if *want == 0 {
				*want = got
			}
			if got != *want {
				t.Errorf("%s: got goroutine %d, want %d", hook, got, *want)
			}
			last = hook
		}
		s := store(t, map[string][]byte{"a": []byte("x\n"), "b.gz": []byte("\x1f\x8b\x08")})
		rep, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(func(context.Context, *stream.Batch) error {
			on("Write", &lane)
			time.Sleep(2*time.Minute + time.Second/2)
			return nil
		}), &stream.Options{
			Lanes: 1, Checkpoint: &memCheckpoint{}, OnObjectError: stream.SkipClasses(),
			Trace: &stream.Trace{
				JobStart:    func(stream.JobStart) { on("JobStart", &caller) },
				ObjectStart: func(stream.ObjectStart) { on("ObjectStart", &lane) },
				ObjectEnd:   func(stream.ObjectEnd) { on("ObjectEnd", &lane) },
				Failure:     func(stream.Failure) { on("Failure", &lane); laneEnded.Store(true) },
				Checkpoint: func(stream.CheckpointSave) {
					if laneEnded.Load() {
						on("the last Checkpoint", &caller)
						return
					}
					on("Checkpoint", &keeper)
				},
				Progress:    func(stream.Progress) { on("Progress", &keeper) },
				SinkBlocked: func(stream.SinkBlocked) { on("SinkBlocked", &keeper) },
				JobEnd: func(stream.JobEnd) {
					if last != "the last Checkpoint" {
						t.Errorf("got JobEnd after %q, want it after the last save", last)
					}
					on("JobEnd", &caller)
				},
			},
		})
		if err != nil || last != "JobEnd" {
			t.Fatalf("got %v, and %q last, want JobEnd:\n%s", err, last, rep)
		}
		if keeper == 0 || keeper == lane || keeper == caller || lane == caller {
			t.Errorf("got goroutine %d for Progress, %d for the lane, and %d called Backfill", keeper, lane, caller)
		}
	})
}
