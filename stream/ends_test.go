package stream_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/sinks"
)

var endPoints = flag.Int("ends.points", 40/few, "at how many random points TestEndsAnywhere ends jobs")

// manyKinds are objects of several codecs and sizes, some of many units.
func manyKinds(t testing.TB) (objects map[string][]byte, records map[string]int) {
	t.Helper()
	objects, records = map[string][]byte{}, map[string]int{}
	for i, codec := range []string{"gzip", "zstd", "lz4", "snappy", "s2", "bzip2", "none"} {
		text := corpus.NDJSONBytes(uint64(i), 1500)
		var several, data []byte
		for n := range 6 {
			part := text[:len(text)*(n+1)/6]
			several, data = append(several, encode(t, codec, part)...), append(data, part...)
		}
		one, other := fmt.Sprintf("%d-one.ndjson", i), fmt.Sprintf("%d-several.ndjson", i)
		objects[one], records[one] = encode(t, codec, text), len(lines(text))
		objects[other], records[other] = several, len(lines(data))
	}
	return objects, records
}

// eventCounter counts what happens to a job, and calls a function with the n-th of it.
type eventCounter struct {
	mu   sync.Mutex
	seen int
	at   int
	call func()
}

func (c *eventCounter) event() {
	c.mu.Lock()
	c.seen++
	call := c.call
	if c.seen != c.at {
		call = nil
	}
	c.mu.Unlock()
	if call != nil {
		call()
	}
}

func (c *eventCounter) trace() *stream.Trace {
	return &stream.Trace{
		Request:     func(stream.Request) { c.event() },
		ObjectStart: func(stream.ObjectStart) { c.event() },
		ObjectEnd:   func(stream.ObjectEnd) { c.event() },
		Checkpoint:  func(stream.CheckpointSave) { c.event() },
	}
}

// However and wherever a job ends, nothing is left: no memory of the Pool, no open body of
// the store, no lock, no draft, no goroutine (which TestMain looks for). The next run goes
// on and reads what is left.
func TestEndsAnywhere(t *testing.T) {
	objects, records := manyKinds(t)
	broken := errors.New("broken")
	type ending struct {
		name  string
		class stream.Class // of the error; -1: there is none
		panic bool
	}
	endings := []ending{{"canceled", stream.ClassCanceled, false}, {"drained", 255, false}, {"drained, then canceled", 254, false}, {"sink fails", stream.ClassSinkFailed, false}, {"sink panics", 255, true}}
	total := 0 // events of a whole run
	for point := -1; point < *endPoints; point++ {
		rnd := rand.New(rand.NewPCG(uint64(point), 3))
		end := endings[(point+len(endings))%len(endings)]
		dir := t.TempDir()
		faults := faultstore.New(&faultstore.Options{Plan: faultstore.Random(uint64(point+2), faultstore.Rates{faultstore.Drop: 0.02, faultstore.InternalError: 0.02, faultstore.Reset: 0.03, faultstore.Cut: 0.03})})
		for key, data := range objects {
			faults.Add(faultstore.Item{Key: key, Content: faultstore.Bytes(data)})
		}
		s := blob.New(faults, &blob.Options{Name: "fault://test", Retry: &blob.Retry{MinBackoff: time.Microsecond, MaxBackoff: time.Millisecond, MaxAttempts: 20}})
		pool := stream.NewPool(&stream.PoolOptions{Memory: []int64{24 << 20, 256 << 20}[rnd.IntN(2)], Workers: 1 + rnd.IntN(4)})
		ctx, cancel := context.WithCancelCause(t.Context())
		drain := make(chan struct{})
		why := errors.New("why")
		c := &eventCounter{}
		failing, panics := false, false
		if point >= 0 {
			c.at = 1 + rnd.IntN(total)
			c.call = func() {
				switch end.name {
				case "canceled":
					cancel(why)
				case "drained":
					close(drain)
				case "drained, then canceled":
					close(drain)
					cancel(why)
				case "sink fails":
					failing = true
				default:
					panics = true
				}
			}
		}
		files := sinks.Files(filepath.Join(dir, "out"), nil)
		sink := sinkFunc(func(ctx context.Context, lane int) (stream.Writer, error) {
			w, err := files.Open(ctx, lane)
			if err != nil {
				return nil, err
			}
			return &countedWriter{w.(stream.ObjectWriter), c, func() error {
				c.mu.Lock()
				defer c.mu.Unlock()
				switch {
				case panics:
					panic("of the sink")
				case failing:
					return broken
				}
				return nil
			}}, nil
		})
		opts := &stream.Options{
			Lanes: 1 + rnd.IntN(4), Read: stream.ReadOptions{Pool: pool, RangeSize: 32 << 10}, Trace: c.trace(), Drain: drain,
			Checkpoint: stream.FileCheckpoint(filepath.Join(dir, "manifest.json")), CheckpointEvery: time.Millisecond,
			OnObjectError: stream.RetryAtMost(100, stream.ClassTransient, stream.ClassTruncated),
		}
		err := func() (err error) {
			defer func() {
				if r := recover(); r != nil {
					if _, ok := r.(*stream.PanicError); !ok || !end.panic {
						panic(r)
					}
					err = nil
				}
			}()
			_, err = stream.Backfill(ctx, s.List(nil), sink, opts)
			return err
		}()
		if point < 0 {
			if total = c.seen; err != nil {
				t.Fatal(err)
			}
		}
		where := fmt.Sprintf("%s at event %d of about %d", end.name, c.at, total)
		switch {
		case end.class == 255 && err != nil, end.class < 100 && err != nil && stream.ClassOf(err) != end.class, end.class == 254 && err != nil && !errors.Is(err, why):
			t.Errorf("%s: got %v", where, err)
		case end.class == stream.ClassCanceled && err != nil && !errors.Is(err, why):
			t.Errorf("%s: got %v, want its cause", where, err)
		}
		if n := pool.InUse(); n != 0 {
			t.Errorf("%s: %d bytes of the Pool are in use", where, n)
		}
		if n := faults.Counts().Open; n != 0 {
			t.Errorf("%s: %d bodies are open", where, n)
		}
		if _, err := os.Stat(filepath.Join(dir, "out", ".thaw-drafts")); err == nil && !end.panic {
			left, _ := os.ReadDir(filepath.Join(dir, "out", ".thaw-drafts"))
			t.Errorf("%s: drafts are left: %v", where, left)
		}
		cancel(nil)
		opts.Drain, opts.Trace = nil, nil
		opts.Checkpoint = stream.FileCheckpoint(filepath.Join(dir, "manifest.json"))
		rep, err := stream.Backfill(t.Context(), s.List(nil), files, opts)
		if err != nil || !rep.Complete() {
			t.Errorf("%s: the next run: got %v, %v", where, err, rep)
		}
		for key, want := range records {
			if got, err := os.ReadFile(filepath.Join(dir, "out", sinks.Name(key))); err != nil || len(lines(got)) != want {
				t.Errorf("%s: %s has %d lines, %v, want %d", where, key, len(lines(got)), err, want)
			}
		}
		if t.Failed() {
			return
		}
	}
}

// sinkFunc is Sink.Open as a function.
type sinkFunc func(ctx context.Context, lane int) (stream.Writer, error)

func (f sinkFunc) Open(ctx context.Context, lane int) (stream.Writer, error) { return f(ctx, lane) }

// countedWriter counts the calls of a Writer, and fails where it is asked to.
type countedWriter struct {
	stream.ObjectWriter
	counter *eventCounter
	fail    func() error
}

func (w *countedWriter) Write(ctx context.Context, b *stream.Batch) error {
	w.counter.event()
	if err := w.fail(); err != nil {
		return err
	}
	return w.ObjectWriter.Write(ctx, b)
}

func (w *countedWriter) Flush(ctx context.Context) error {
	w.counter.event()
	return w.ObjectWriter.Flush(ctx)
}
