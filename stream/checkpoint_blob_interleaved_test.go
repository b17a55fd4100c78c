package stream_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/stream"
)

// attempt is one call of a run, in the order of the calls of all.
type attempt struct {
	run, value, begin, end int
	load                   bool
	err                    error
}

// TestBlobCheckpointInterleaved lets several runs at once load and save, and
// shuffles the calls of their drivers.
func TestBlobCheckpointInterleaved(t *testing.T) {
	t.Parallel()
	seeds := 150
	if testing.Short() {
		seeds = 30
	}
	for _, traits := range []driver.Traits{versions, absence} {
		for seed := range seeds {
			synctest.Test(t, func(t *testing.T) {
				interleave(t, traits, uint64(seed))
			})
			if t.Failed() {
				t.Fatalf("%+v, seed %d", traits, seed)
			}
		}
	}
}

func interleave(t *testing.T, traits driver.Traits, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	var mu sync.Mutex
	var clock int
	var history []attempt
	waiting := map[int][]chan struct{}{} // calls held back, by run
	mem := memstore.New()
	tick := func() int {
		mu.Lock()
		defer mu.Unlock()
		clock++
		return clock
	}
	runs := 2 + rng.IntN(3)
	saves := make([]int, runs)
	for i := range saves {
		saves[i] = 1 + rng.IntN(6)
	}
	late := make([]int, runs) // when a run starts
	for i := range late {
		late[i] = rng.IntN(30)
	}
	var wg sync.WaitGroup
	left := runs
	for run := range runs {
		gate := func() {
			ch := make(chan struct{})
			mu.Lock()
			waiting[run] = append(waiting[run], ch)
			mu.Unlock()
			<-ch
		}
		d := &hooked{Driver: mem, traits: traits, hook: func(_ context.Context, call func() error) error {
			gate()
			return call()
		}}
		wg.Go(func() {
			defer func() {
				mu.Lock()
				left--
				mu.Unlock()
			}()
			for range late[run] {
				gate()
			}
			c := stream.BlobCheckpoint(blob.New(d, once), "m")
			defer c.Close()
			note := func(a attempt, call func() error) error {
				a.run, a.begin = run, tick()
				a.err = call()
				a.end = tick()
				mu.Lock()
				history = append(history, a)
				mu.Unlock()
				return a.err
			}
			var loaded []byte
			begin := tick()
			loaded, err := c.Load(context.Background())
			mu.Lock()
			clock++
			history = append(history, attempt{run: run, load: true, value: ordinalOf(t, loaded), begin: begin, end: clock, err: err})
			mu.Unlock()
			for i := 0; i < saves[run] && err == nil; i++ {
				value := 100*(run+1) + i
				err = note(attempt{value: value}, func() error {
					return c.Save(context.Background(), manifestOf(value, ""))
				})
			}
		})
	}
	for {
		synctest.Wait()
		mu.Lock()
		if left == 0 {
			mu.Unlock()
			break
		}
		ready := make([]int, 0, runs)
		for run := range runs {
			if len(waiting[run]) > 0 {
				ready = append(ready, run)
			}
		}
		// Now and then one run makes many steps while the others are held.
		run := ready[rng.IntN(len(ready))]
		steps := 1
		if rng.IntN(3) == 0 {
			steps = 1 + rng.IntN(25)
		}
		mu.Unlock()
		for range steps {
			mu.Lock()
			if len(waiting[run]) > 0 {
				close(waiting[run][0])
				waiting[run] = waiting[run][1:]
			}
			mu.Unlock()
			synctest.Wait()
		}
	}
	wg.Wait()

	last := stream.BlobCheckpoint(blob.New(&hooked{Driver: mem, traits: traits}, nil), "m")
	history = append(history, attempt{run: runs, load: true, value: mustLoad(t, last), begin: clock + 1, end: clock + 2})
	mustSave(t, last, 1)
	mustClose(t, last)
	if keys := keysOf(t, blob.New(mem, nil)); len(keys) > 3 {
		t.Errorf("%q are left, want at most number 0 and the last two", keys)
	}
	judge(t, history)
}

// judge holds a history to what BlobCheckpoint promises.
func judge(t *testing.T, history []attempt) {
	t.Helper()
	loads := map[int]attempt{}
	byValue := map[int]attempt{}
	for _, a := range history {
		if a.load {
			loads[a.run] = a
		} else {
			byValue[a.value] = a
		}
		if a.err != nil && !errors.Is(a.err, stream.ErrOwner) {
			t.Errorf("run %d: %v, want ErrOwner or success", a.run, a.err)
		}
	}
	for _, a := range history {
		if a.load {
			if a.err != nil {
				continue
			}
			// What it loaded is not older than a save that ended before it began.
			from := byValue[a.value]
			for _, s := range byValue {
				if s.err == nil && s.end < a.begin && from.end < s.begin && s.value != a.value {
					t.Errorf("run %d loaded %d, but %d was saved after it", a.run, a.value, s.value)
				}
			}
			continue
		}
		// A save counts only while no other run has taken over.
		newest := true
		for _, l := range loads {
			if l.run == a.run {
				continue
			}
			if l.begin > loads[a.run].end && l.end < a.begin && l.err == nil && a.err == nil {
				t.Errorf("run %d saved %d after run %d took over", a.run, a.value, l.run)
			}
			newest = newest && (l.end < loads[a.run].begin || l.begin > a.end)
		}
		if newest && a.err != nil {
			t.Errorf("run %d, which is the newest, could not save %d: %v", a.run, a.value, a.err)
		}
	}
}
