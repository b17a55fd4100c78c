package stream_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/stream"
)

// slow is a store with a first-byte latency, a delay per read and one per listed
// object, in virtual time.
type slow struct {
	driver.Driver
	first, read, list time.Duration
}

func (s slow) List(ctx context.Context, prefix, after string) iter.Seq2[driver.Object, error] {
	return func(yield func(driver.Object, error) bool) {
		for o, err := range s.Driver.List(ctx, prefix, after) {
			time.Sleep(s.list)
			if !yield(o, err) {
				return
			}
		}
	}
}

func (s slow) ReadRange(ctx context.Context, key string, off, n int64, version string) (driver.Range, error) {
	time.Sleep(s.first)
	r, err := s.Driver.ReadRange(ctx, key, off, n, version)
	r.Body = slowBody{r.Body, s.read}
	return r, err
}

type slowBody struct {
	io.ReadCloser
	d time.Duration
}

func (b slowBody) Read(p []byte) (int, error) {
	time.Sleep(b.d)
	return b.ReadCloser.Read(p)
}

// Per lane the stages add up to the wall exactly, and each delay is found in the
// stage that it belongs to.
func TestStagesAddUpInVirtualTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := memstore.New()
		base := blob.New(mem, nil)
		for i := range 12 {
			put(t, base, fmt.Sprintf("%02d", i), []byte("one\ntwo\n"))
		}
		s := blob.New(slow{mem, 30 * time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond}, nil)
		defer s.Close()
		for _, lanes := range []int{1, 4} {
			parse := 7 * time.Millisecond
			deliver := 11 * time.Millisecond
			rep, err := stream.Backfill(t.Context(), s.List(nil), stream.ParseTo(
				func(stream.Record) (int, error) { time.Sleep(parse); return 0, nil },
				func(context.Context, []int) error { time.Sleep(deliver); return nil }),
				&stream.Options{Lanes: lanes, Workers: 2, Checkpoint: &slowCheckpoint{d: 3 * time.Millisecond}})
			if err != nil {
				t.Fatal(err)
			}
			if len(rep.PerLane) != lanes {
				t.Fatalf("%d lanes in the report, want %d", len(rep.PerLane), lanes)
			}
			for i, l := range rep.PerLane {
				if l.Sum() != rep.Wall {
					t.Errorf("lane %d of %d: stages add up to %v, wall is %v", i, lanes, l.Sum(), rep.Wall)
				}
			}
			if got, want := rep.Stages.Sum(), rep.Wall*time.Duration(lanes); got != want {
				t.Errorf("%d lanes: stages add up to %v, want %v", lanes, got, want)
			}
			st := rep.Stages
			if want := 24 * parse; st.Parse != want {
				t.Errorf("%d lanes: parse is %v, want %v", lanes, st.Parse, want)
			}
			if want := 12 * deliver; st.Sink != want {
				t.Errorf("%d lanes: sink is %v, want %v", lanes, st.Sink, want)
			}
			if st.Fetch < 12*30*time.Millisecond {
				t.Errorf("%d lanes: fetch is %v, less than the latency of 12 first bytes", lanes, st.Fetch)
			}
			if st.Decode != 0 || st.Frame != 0 {
				t.Errorf("%d lanes: decode %v, frame %v: nothing sleeps there", lanes, st.Decode, st.Frame)
			}
			if want := time.Duration(lanes) * 3 * time.Millisecond * 2; st.Checkpoint != want {
				t.Errorf("%d lanes: checkpoint is %v, want %v for the load and the last save", lanes, st.Checkpoint, want)
			}
			if f := rep.FirstRecord; f.After != f.Stages.Sum() || f.After < 37*time.Millisecond {
				t.Errorf("first record after %v, split adds up to %v", f.After, f.Stages.Sum())
			}
		}
	})
}

type slowCheckpoint struct {
	memCheckpoint
	d time.Duration
}

func (c *slowCheckpoint) Load(ctx context.Context) ([]byte, error) {
	time.Sleep(c.d)
	return c.memCheckpoint.Load(ctx)
}

func (c *slowCheckpoint) Save(ctx context.Context, m []byte) error {
	time.Sleep(c.d)
	return c.memCheckpoint.Save(ctx, m)
}

// More parsers than workers wait for a permit, in stage queue.
func TestWorkersBoundParsing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := memstore.New()
		base := blob.New(mem, nil)
		for i := range 8 {
			put(t, base, fmt.Sprintf("%02d", i), []byte("x\n"))
		}
		rep, err := stream.Backfill(t.Context(), base.List(nil), stream.ParseTo(
			func(stream.Record) (int, error) { time.Sleep(time.Second); return 0, nil },
			func(context.Context, []int) error { return nil }),
			&stream.Options{Lanes: 8, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		if rep.Wall != 4*time.Second {
			t.Errorf("8 s of parsing on 2 workers took %v, want 4 s", rep.Wall)
		}
		if want := 2 * (1 + 2 + 3) * time.Second; rep.Stages.Queue != want {
			t.Errorf("queue is %v, want %v", rep.Stages.Queue, want)
		}
	})
}

// A sink that blocks does not keep others from decoding: its permit is taken over.
func TestBlockedSinkLendsItsPermit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := blob.New(memstore.New(), nil)
		for i := range 4 {
			put(t, base, fmt.Sprintf("%02d", i), []byte("x\n"))
		}
		rep, err := stream.Backfill(t.Context(), base.List(nil), stream.SinkFunc(func(context.Context, *stream.Batch) error {
			time.Sleep(time.Second)
			return nil
		}), &stream.Options{Lanes: 4, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if rep.Wall > 1010*time.Millisecond {
			t.Errorf("4 sinks of 1 s side by side took %v", rep.Wall)
		}
	})
}

// The manifest is saved at the chosen interval and at the end.
func TestCheckpointInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := blob.New(memstore.New(), nil)
		for i := range 10 {
			put(t, base, fmt.Sprintf("%02d", i), []byte("x\n"))
		}
		cp := &memCheckpoint{}
		_, err := stream.Backfill(t.Context(), base.List(nil), stream.SinkFunc(func(context.Context, *stream.Batch) error {
			time.Sleep(2900 * time.Millisecond)
			return nil
		}), &stream.Options{Lanes: 1, Checkpoint: cp})
		if err != nil {
			t.Fatal(err)
		}
		// Saves at 10 and 20 s, and at the end after 29 s; flushes at 11.6 and
		// 23.2 s, when a Write returns and one is due, of the objects finished
		// by then.
		var done []int64
		for _, data := range cp.saves {
			m, err := stream.ParseManifest(data)
			if err != nil {
				t.Fatal(err)
			}
			done = append(done, m.Counts.Done.Objects)
		}
		if want := []int64{0, 3, 10}; !slices.Equal(done, want) {
			t.Errorf("the saved manifests know of %v objects done, want %v", done, want)
		}
	})
}
