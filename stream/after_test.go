package stream_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/after"
)

// afterCase is a job whose actions a test watches.
type afterCase struct {
	t     *testing.T
	src   *blob.Store
	ids   map[string]int // records of each key
	sink  *buffering
	cp    *memCheckpoint
	early atomic.Int64 // actions before what must come before them
	calls atomic.Int64 // of Do

	mu       sync.Mutex
	replaced map[string]bool
}

// nameOf is a record of one version of an object.
func nameOf(obj blob.Object, index int64) string {
	return fmt.Sprintf("%s %s %d", obj.Key, obj.Version, index)
}

func newAfterCase(t *testing.T, objects int) *afterCase {
	c := &afterCase{
		t: t, src: store(t, nil), ids: map[string]int{}, replaced: map[string]bool{},
		sink: &buffering{durable: map[string]int{}, name: func(r stream.Record) string { return nameOf(r.Object(), r.Index) }}, cp: &memCheckpoint{},
	}
	for i := range objects {
		key, n := fmt.Sprintf("%04d.log", i), i%7
		var data []byte
		for k := range n {
			data = fmt.Appendf(data, "%s %d\n", key, k)
		}
		put(t, c.src, key, data)
		c.ids[key] = n
	}
	return c
}

// watch is a with a Do that looks whether the records of the object are durable and the
// manifest that was saved last says so.
func (c *afterCase) watch(a *stream.After) *stream.After {
	w := *a
	w.Do = func(ctx context.Context, s *blob.Store, obj blob.Object) error {
		c.calls.Add(1)
		durable := 0
		c.sink.mu.Lock()
		for k := range c.ids[obj.Key] {
			if c.sink.durable[nameOf(obj, int64(k))] > 0 {
				durable++
			}
		}
		c.sink.mu.Unlock()
		data, _ := c.cp.Load(ctx)
		m, err := stream.ParseManifest(data)
		pending := err == nil && slices.ContainsFunc(m.Pending, func(p stream.PendingObject) bool {
			return p.Key == obj.Key && p.Version == obj.Version && p.Size == obj.Size
		})
		open := err != nil || slices.ContainsFunc(m.Open, func(e stream.ManifestEntry) bool { return e.Key == obj.Key })
		if durable < c.ids[obj.Key] || !pending || open {
			c.early.Add(1)
			c.t.Errorf("%s: acted upon with %d of %d records durable, pending %v, open %v", obj.Key, durable, c.ids[obj.Key], pending, open)
		}
		return a.Do(ctx, s, obj)
	}
	return &w
}

func (c *afterCase) keys(s *blob.Store) (keys []string) {
	for obj, err := range s.List(nil).Objects(context.Background(), blob.Mark{}) {
		if err != nil {
			c.t.Fatal(err)
		}
		keys = append(keys, obj.Key)
	}
	return keys
}

// delivered holds the sink to the records of all objects.
func (c *afterCase) delivered() {
	c.t.Helper()
	want := 0
	for _, n := range c.ids {
		want += n
	}
	if got := len(c.sink.durable); got != want {
		c.t.Errorf("got %d records, want %d", got, want)
	}
}

// A job deletes what it has delivered, and reports it.
func TestAfterDelete(t *testing.T) {
	t.Parallel()
	for _, lanes := range []int{1, 5} {
		synctest.Test(t, func(t *testing.T) {
			c := newAfterCase(t, 300)
			rep, err := stream.Backfill(t.Context(), c.src.List(nil), c.sink, &stream.Options{
				Lanes: lanes, Checkpoint: c.cp, After: c.watch(after.Delete()),
			})
			if err != nil || !rep.Complete() {
				t.Errorf("got %v, complete %v", err, rep.Complete())
			}
			if want := (stream.AfterReport{Done: 300}); rep.After != want {
				t.Errorf("got %+v, want %+v", rep.After, want)
			}
			if left := c.keys(c.src); len(left) > 0 {
				t.Errorf("%d objects are left", len(left))
			}
			c.delivered()
			m, err := stream.ParseManifest(c.cp.saves[len(c.cp.saves)-1])
			if err != nil || len(m.Pending) > 0 || !m.Ended {
				t.Errorf("the last manifest: %v, %d pending, ended %v", err, len(m.Pending), m.Ended)
			}
		})
	}
}

// Without a Checkpoint the flush is what an action waits for.
func TestAfterWithoutCheckpoint(t *testing.T) {
	t.Parallel()
	c := newAfterCase(t, 150)
	deleting := after.Delete()
	do := deleting.Do
	deleting.Do = func(ctx context.Context, s *blob.Store, obj blob.Object) error {
		c.sink.mu.Lock()
		for k := range c.ids[obj.Key] {
			if c.sink.durable[nameOf(obj, int64(k))] == 0 {
				t.Errorf("%s: acted upon before record %d was durable", obj.Key, k)
			}
		}
		c.sink.mu.Unlock()
		return do(ctx, s, obj)
	}
	rep, err := stream.Backfill(t.Context(), c.src.List(nil), c.sink, &stream.Options{Lanes: 3, After: deleting})
	if want := (stream.AfterReport{Done: 150}); err != nil || rep.After != want || len(c.keys(c.src)) > 0 {
		t.Errorf("got %v, %+v and %d objects left, want %+v", err, rep.After, len(c.keys(c.src)), want)
	}
	c.delivered()
}

var afterJobs = flag.Int("afterjobs", 25, "jobs of TestAfterBrokenOff")

// Broken off anywhere, by its context, its sink, a drain or actions that fail, and
// continued until it is complete, a job acts upon each object, none before its records
// are durable and the manifest says so, and keeps those that were replaced.
func TestAfterBrokenOff(t *testing.T) {
	t.Parallel()
	var runs, acts, kept int64
	for seed := range uint64(*afterJobs) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 1))
			c := newAfterCase(t, 1+rng.IntN(150))
			c.sink.slow = time.Duration(rng.IntN(3)) * time.Millisecond
			moved := blob.New(memstore.New(), &blob.Options{Name: "mem://moved"})
			moves := rng.IntN(2) == 0
			action := after.Delete()
			if moves {
				action = after.Move(moved, "was/")
			}
			c.flaky(action, rng.Uint64())
			total := stream.AfterReport{}
			for run := 0; ; run++ {
				if run > 60 {
					t.Fatalf("seed %d: no run is complete: %d objects left", seed, len(c.keys(c.src)))
				}
				runs++
				ctx, cancel := context.WithCancel(t.Context())
				drain := make(chan struct{})
				opts := &stream.Options{
					Lanes: 1 + rng.IntN(5), Checkpoint: c.cp, After: c.watch(action), Drain: drain,
					CheckpointEvery: time.Duration(1+rng.IntN(20)) * time.Millisecond,
				}
				when := time.Duration(rng.IntN(1+40*(run+1))) * time.Millisecond
				stop := func() {}
				switch rng.IntN(3) {
				case 0:
					stop = later(when, cancel)
				case 1:
					stop = later(when, func() { close(drain) })
				}
				rep, err := stream.Backfill(ctx, c.src.List(nil), c.sink, opts)
				stop()
				cancel()
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Fatalf("seed %d: %v", seed, err)
				}
				total.Done += rep.After.Done
				total.Kept += rep.After.Kept
				if rep.Complete() {
					break
				}
			}
			acts, kept = acts+c.calls.Load(), kept+total.Kept
			c.delivered()
			left, there := c.keys(c.src), c.keys(moved)
			for _, key := range left {
				if !c.replaced[key] {
					t.Errorf("seed %d: %s is left, and was not replaced", seed, key)
				}
			}
			if len(left) != len(c.replaced) {
				t.Errorf("seed %d: %d objects are left, want the %d that were replaced", seed, len(left), len(c.replaced))
			}
			for key, n := range c.ids {
				obj, err := moved.Stat(t.Context(), "was/"+key)
				if want := int64(n * (len(key) + 3)); moves && !c.replaced[key] && (err != nil || obj.Size != want) {
					t.Errorf("seed %d: %s was moved as %d bytes and %v, want %d", seed, key, obj.Size, err, want)
				}
			}
			if !moves && len(there) > 0 {
				t.Errorf("seed %d: got %d copies, want none", seed, len(there))
			}
		})
	}
	t.Logf("%d runs, %d actions, %d objects kept", runs, acts, kept)
	if runs < int64(*afterJobs)+10 || kept == 0 {
		t.Errorf("%d runs and %d objects kept show little", runs, kept)
	}
}

// later calls f after d unless it is stopped before. In a bubble of synctest, the race
// detector of Go 1.26 may crash when a time.AfterFunc fires.
func later(d time.Duration, f func()) (stop func()) {
	stopped := make(chan struct{})
	go func() {
		select {
		case <-time.After(d):
			f()
		case <-stopped:
		}
	}()
	return func() { close(stopped) }
}

// flaky makes an action slow, lets it fail before and after it was done, and replaces
// some objects before.
func (c *afterCase) flaky(a *stream.After, seed uint64) {
	do, rng := a.Do, rand.New(rand.NewPCG(seed, 2))
	a.Do = func(ctx context.Context, s *blob.Store, obj blob.Object) error {
		c.mu.Lock()
		what, slow := rng.IntN(20), time.Duration(rng.IntN(4))*time.Millisecond
		if what == 0 && !c.replaced[obj.Key] {
			if _, err := s.Stat(context.Background(), obj.Key); err == nil {
				put(c.t, s, obj.Key, []byte("another\n"))
				c.replaced[obj.Key] = true
			}
		}
		c.mu.Unlock()
		select {
		case <-time.After(slow):
		case <-ctx.Done():
			return ctx.Err()
		}
		switch what {
		case 1:
			return fmt.Errorf("later: %w", blob.ErrTransient)
		case 2:
			return fs.ErrPermission
		}
		err := do(ctx, s, obj)
		if what == 3 && err == nil {
			return fmt.Errorf("answer lost: %w", blob.ErrTransient)
		}
		return err
	}
}
