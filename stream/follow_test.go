package stream_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/stream"
)

var followKeys = flag.Int("follow.keys", 10_000/few, "how many objects appear in TestFollow")

// lateStore is a store whose objects appear some time after they were modified.
type lateStore struct {
	driver.Driver
	mu       sync.Mutex
	objects  map[string]lateObject
	listings int
}

type lateObject struct{ modified, visible time.Time }

func (a *lateStore) Traits() driver.Traits { return driver.Traits{Local: true} }

func (a *lateStore) put(key string, late time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.objects[key] = lateObject{time.Now().Add(-late), time.Now()}
}

func (a *lateStore) remove(key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.objects, key)
}

// record is the record of the object that has a key now.
func (a *lateStore) record(key string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return string(bytes.TrimSpace(a.data(key, a.objects[key])))
}

// data is one record that names key and version.
func (a *lateStore) data(key string, o lateObject) []byte {
	return fmt.Appendf(nil, "%s %d\n", key, o.modified.UnixNano())
}

func (a *lateStore) object(key string, o lateObject) driver.Object {
	return driver.Object{Key: key, Size: int64(len(a.data(key, o))), ModTime: o.modified, Version: fmt.Sprint(o.modified.UnixNano())}
}

func (a *lateStore) List(ctx context.Context, prefix, after string) iter.Seq2[driver.Object, error] {
	a.mu.Lock()
	a.listings++
	keys := slices.Sorted(maps.Keys(a.objects))
	a.mu.Unlock()
	return func(yield func(driver.Object, error) bool) {
		at, _ := slices.BinarySearch(keys, after)
		for i, key := range keys[at:] {
			if i%1000 == 999 {
				time.Sleep(time.Second) // a listing takes its time
			}
			a.mu.Lock()
			o, ok := a.objects[key]
			a.mu.Unlock()
			if key > after && ok && !yield(a.object(key, o), nil) {
				return
			}
		}
	}
}

func (a *lateStore) Stat(_ context.Context, key string) (driver.Object, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	o, ok := a.objects[key]
	if !ok {
		return driver.Object{}, fs.ErrNotExist
	}
	return a.object(key, o), nil
}

func (a *lateStore) ReadRange(ctx context.Context, key string, offset, length int64, version string) (driver.Range, error) {
	time.Sleep(100 * time.Millisecond)
	o, err := a.Stat(ctx, key)
	switch {
	case err != nil:
		return driver.Range{}, err
	case version != "" && version != o.Version:
		return driver.Range{}, blob.ErrChanged
	}
	a.mu.Lock()
	data := a.data(key, a.objects[key])
	a.mu.Unlock()
	return driver.Range{Body: io.NopCloser(bytes.NewReader(data[offset:])), Offset: offset, Object: o}, nil
}

// A job that follows reads every object that appears within Late of its modification, in
// whatever order, and each version once but for kills; what is deleted or replaced is no
// error. The manifest does not grow with the passes.
func TestFollow(t *testing.T) {
	t.Parallel()
	const (
		late = 10 * time.Minute
		run  = 2 * time.Hour
	)
	keys := *followKeys
	synctest.Test(t, func(t *testing.T) {
		a := &lateStore{objects: map[string]lateObject{}}
		s := blob.New(a, nil)
		ctx, stop := context.WithCancel(t.Context())
		var writer sync.WaitGroup
		want := map[string]bool{} // records of versions that stayed for a while
		optional := map[string]bool{}
		var mu sync.Mutex
		writer.Go(func() {
			rnd := rand.New(rand.NewPCG(1, 2))
			for i := range keys {
				time.Sleep(run / time.Duration(keys))
				key := fmt.Sprintf("%08x-%d", rnd.Uint32(), i)
				a.put(key, time.Duration(rnd.Int64N(int64(late)*9/10)))
				mu.Lock()
				record := a.record(key)
				want[record] = true
				mu.Unlock()
				if i%20 == 0 {
					// It is deleted, or replaced, at any time.
					after := time.Duration(rnd.Int64N(int64(time.Minute)))
					replace := i%40 == 0
					writer.Go(func() {
						time.Sleep(after)
						mu.Lock()
						defer mu.Unlock()
						delete(want, record)
						optional[record] = true
						if a.remove(key); replace {
							a.put(key, 0)
							want[a.record(key)] = true
						}
					})
				}
			}
		})
		got := map[string]int{} // by id
		records := map[string]bool{}
		cp := &memCheckpoint{}
		var largest int
		rnd := rand.New(rand.NewPCG(3, 4))
		kills := 0
		job := func(ctx context.Context, drain chan struct{}) (*stream.Report, error) {
			return stream.Backfill(ctx, s.List(nil), stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
				mu.Lock()
				defer mu.Unlock()
				for r := range b.All() {
					got[r.ID()]++
					records[string(r.Data)] = true
				}
				return nil
			}), &stream.Options{
				Lanes: 16, Checkpoint: cp, CheckpointEvery: time.Second, Drain: drain,
				Follow: &stream.FollowOptions{Late: late, Every: 20 * time.Second},
			})
		}
		end := time.Now().Add(run + late + 5*time.Minute)
		for time.Now().Before(end) {
			kctx, kill := context.WithTimeout(ctx, time.Duration(rnd.Int64N(int64(5*time.Minute))))
			rep, err := job(kctx, nil)
			kill()
			if stream.ClassOf(err) != stream.ClassCanceled {
				t.Fatalf("got %v, %v, want the end of the context", rep, err)
			}
			kills++
			for _, data := range cp.saves {
				largest = max(largest, len(data))
			}
			cp.saves = cp.saves[max(0, len(cp.saves)-1):]
		}
		writer.Wait()
		drain := make(chan struct{})
		go func() {
			time.Sleep(3 * time.Minute)
			close(drain)
		}()
		rep, err := job(ctx, drain)
		if err != nil || !rep.Complete() || rep.Passes == 0 {
			t.Errorf("got %v, complete %v, %d passes", err, rep.Complete(), rep.Passes)
		}
		stop()
		missed := 0
		for record := range want {
			if !records[record] {
				missed++
			}
		}
		strange := 0
		for record := range records {
			if !want[record] && !optional[record] {
				strange++
			}
		}
		twice := 0
		for _, n := range got {
			if n > 1 {
				twice++
			}
		}
		if missed > 0 || strange > 0 || len(got) != len(records) {
			t.Errorf("missed %d of %d, %d are strange, %d ids for %d records", missed, len(want), strange, len(got), len(records))
		}
		// What is in the window, at 14 bytes in base64, and as much again.
		window := keys * int((late+time.Minute)/time.Second) / int(run/time.Second)
		if most := 2*window*14*4/3 + 64<<10; largest > most {
			t.Errorf("the manifest took %d bytes, want at most %d", largest, most)
		}
		t.Logf("%d records, %d repeated after %d kills, %d passes, %d listings, %d gone, manifest of %d bytes at most for %d objects in the window",
			len(records), twice, kills, rep.Passes, a.listings, rep.Counts.Gone+rep.Earlier.Gone, largest, window)
		if int64(a.listings) > rep.Passes+int64(kills)+2 {
			t.Errorf("got %d listings, want one a pass and one a kill", a.listings)
		}
	})
}

// What appears later than Late under a name that was passed is not read; under any name it
// is read within Late. A job without kills reads each version once.
func TestFollowWindow(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		key  string
		late time.Duration
		want bool
	}{
		{"new, before the mark", "a", 0, true},
		{"late, before the mark", "a", 50 * time.Minute, true},
		{"too late", "a", 2 * time.Hour, false},
		{"too late, after the last name", "z", 2 * time.Hour, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			a := &lateStore{objects: map[string]lateObject{}}
			a.put("m", 0)
			drain := make(chan struct{})
			go func() {
				time.Sleep(10 * time.Minute)
				a.put(tc.key, tc.late)
				time.Sleep(3 * time.Hour)
				close(drain)
			}()
			c := newCollector()
			rep, err := stream.Backfill(t.Context(), blob.New(a, nil).List(nil), stream.SinkFunc(c.write), &stream.Options{Drain: drain, Follow: &stream.FollowOptions{}})
			if _, got := c.records[tc.key]; err != nil || got != tc.want || !rep.Complete() || len(c.records["m"]) != 1 {
				t.Errorf("%s: got %v, read %v, complete %v, %d records of the other; want nil, %v, true, 1", tc.name, err, got, rep.Complete(), len(c.records["m"]), tc.want)
			}
			if sum := rep.Stages.Sum(); sum != rep.Wall*time.Duration(rep.Lanes) {
				t.Errorf("%s: stages add up to %v, want %d × %v", tc.name, sum, rep.Lanes, rep.Wall)
			}
		})
	}
}

// What cannot be followed is refused before anything is read, and so is a manifest of a job
// that does not follow, or that does where this one does not.
func TestFollowRefuses(t *testing.T) {
	t.Parallel()
	s := store(t, map[string][]byte{"a": []byte("one\n")})
	undated := s.List(nil)
	undated.Objects = func(context.Context, blob.Mark) iter.Seq2[blob.Object, error] {
		return func(yield func(blob.Object, error) bool) { yield(blob.Object{Key: "a", Size: 4}, nil) }
	}
	follow := &stream.FollowOptions{}
	stopped := make(chan struct{})
	close(stopped)
	cp, other := &memCheckpoint{}, &memCheckpoint{}
	for _, tc := range []struct {
		name string
		src  blob.Source
		opts stream.Options
		want error
	}{
		{"keys", blob.Keys(s, "a"), stream.Options{Follow: follow}, fs.ErrInvalid},
		{"a time below zero", s.List(nil), stream.Options{Follow: &stream.FollowOptions{Late: -1}}, fs.ErrInvalid},
		{"no times of modification", undated, stream.Options{Follow: follow}, blob.ErrUnsupported},
		{"a job that follows", s.List(nil), stream.Options{Follow: follow, Drain: stopped, Checkpoint: cp}, nil},
		{"its manifest without", s.List(nil), stream.Options{Checkpoint: cp}, stream.ErrOtherJob},
		{"a job that does not", s.List(nil), stream.Options{Checkpoint: other}, nil},
		{"its manifest with", s.List(nil), stream.Options{Follow: follow, Checkpoint: other}, stream.ErrOtherJob},
	} {
		if _, err := stream.Backfill(t.Context(), tc.src, stream.Discard, &tc.opts); !errors.Is(err, tc.want) {
			t.Errorf("%s: got %v, want %v", tc.name, err, tc.want)
		}
	}
}
