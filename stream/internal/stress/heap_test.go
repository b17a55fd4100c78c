package stress_test

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream"
)

// beside is what a job may hold beside its Memory.
const beside = 40 << 20

// TestHeap holds the live heap of jobs to what is promised: Memory and 40 MiB,
// whatever the objects. The jobs are those of schedules, one at a time, with large
// objects and without what interrupts them.
func TestHeap(t *testing.T) {
	if testing.Short() {
		t.Skip("it collects garbage again and again")
	}
	for seed := *firstSeed; seed < *firstSeed+12; seed++ {
		s := draw(seed)
		for _, o := range s.objects {
			o.size, o.archived, o.denied, o.lapses, o.refused = 4+o.size%3, false, false, 0, false
		}
		s.objects = s.objects[:min(len(s.objects), 12)]
		job, u := s.jobs[0], s.jobs[0].runs[0]
		d := newStorage(&schedule{objects: s.objects, local: s.local, step: s.step})
		store := blob.New(d, &blob.Options{Name: "stress"})
		base := live()
		var mu sync.Mutex
		var most uint64
		batches := 0
		_, err := stream.Backfill(t.Context(), store.List(nil), stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
			mu.Lock()
			defer mu.Unlock()
			if batches++; batches%20 == 1 {
				most = max(most, live())
			}
			return nil
		}), &stream.Options{
			Lanes: u.lanes, Workers: u.workers, Memory: u.memory, OnObjectError: stream.SkipClasses(), OnRecordError: stream.SkipClasses(),
			Read: stream.ReadOptions{MaxRecord: job.reading.maxRecord, Oversized: job.reading.oversized, RangeSize: u.rangeSize, InFlight: u.inFlight},
		})
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if most > base+uint64(u.memory)+beside {
			t.Errorf("seed %d: %d bytes are live at most, %d of them before; Memory is %d", seed, most, base, u.memory)
		}
	}
}

// live is the heap that a collection leaves.
func live() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
