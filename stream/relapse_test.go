package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/stream"
)

// glacier is a store that refuses reads of "big" from one of them on, and restores of
// it with an error.
type glacier struct {
	*memstore.Driver
	readable int   // reads until the copy lapses
	lasts    bool  // it lapses again after a restore
	refusal  error // of Restore
	lost     error // of Stat, once asked

	mu              sync.Mutex
	reads, restores int
	restored        bool
}

func (d *glacier) Traits() driver.Traits { return driver.Traits{PutAbsent: true, PutVersion: true} }

func (d *glacier) ReadRange(ctx context.Context, key string, off, n int64, version string) (driver.Range, error) {
	if key == "big" {
		d.mu.Lock()
		d.reads++
		frozen := d.reads > d.readable && (!d.restored || d.lasts)
		d.mu.Unlock()
		if frozen {
			return driver.Range{}, driver.ErrArchived
		}
	}
	return d.Driver.ReadRange(ctx, key, off, n, version)
}

func (d *glacier) Restore(context.Context, string, driver.RestoreRequest) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.restores++
	d.restored = d.refusal == nil
	return d.refusal
}

func (d *glacier) Stat(ctx context.Context, key string) (driver.Object, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lost != nil && d.restores > 0 {
		return driver.Object{}, d.lost
	}
	return d.Driver.Stat(ctx, key)
}

// flushing is a sink whose records are durable when flushed. A Write takes as long
// as its object's key says.
type flushing struct {
	takes map[string]time.Duration

	mu      sync.Mutex
	durable map[string]int
}

func (s *flushing) Open(context.Context, int) (stream.Writer, error) {
	return &flushingWriter{sink: s}, nil
}

type flushingWriter struct {
	sink *flushing
	ids  []string
}

func (w *flushingWriter) Write(ctx context.Context, b *stream.Batch) error {
	select {
	case <-time.After(w.sink.takes[b.Object().Key]):
	case <-ctx.Done():
		return ctx.Err()
	}
	for rec := range b.All() {
		w.ids = append(w.ids, rec.ID())
	}
	return nil
}

func (w *flushingWriter) Flush(context.Context) error {
	w.sink.mu.Lock()
	defer w.sink.mu.Unlock()
	for _, id := range w.ids {
		w.sink.durable[id]++
	}
	w.ids = nil
	return nil
}

func (w *flushingWriter) Close() error { return nil }

// An object that becomes archived in its middle is read on by another lane. What the
// first lane has written of it is durable before, whenever the run is killed.
func TestArchivedInTheMiddle(t *testing.T) {
	const records = 40000
	var data bytes.Buffer
	for i := range records {
		fmt.Fprintf(&data, "record %010d of the big object, padded a bit\n", i)
	}
	for readable := 1; readable <= 6; readable++ {
		for _, kill := range []time.Duration{50 * time.Millisecond, 150 * time.Millisecond, 250 * time.Millisecond, time.Second, 10 * time.Second, 2 * time.Hour} {
			inTime(t, fmt.Sprint(readable, kill), func(t *testing.T) {
				d := &glacier{Driver: memstore.New(), readable: readable}
				s := blob.New(d, &blob.Options{Name: "s"})
				put(t, s, "big", data.Bytes())
				for _, key := range []string{"hold", "slow"} {
					put(t, s, key, []byte("x\n"))
				}
				cp := &memCheckpoint{}
				sink := &flushing{durable: map[string]int{}, takes: map[string]time.Duration{
					"big": time.Millisecond, "hold": 100 * time.Millisecond, "slow": time.Hour,
				}}
				opts := &stream.Options{
					Lanes: 2, Workers: 2, Checkpoint: cp, CheckpointEvery: time.Hour,
					Read:    stream.ReadOptions{RangeSize: 256 << 10, InFlight: 1, Frame: "lines", Codec: "none"},
					Restore: &stream.RestoreOptions{Poll: 200 * time.Millisecond},
				}
				src := blob.Keys(s, "big", "hold", "slow")
				// The lane that has read big half takes slow, and the other big.
				ctx, cancel := context.WithTimeout(t.Context(), kill)
				first, err := stream.Backfill(ctx, src, sink, opts)
				cancel()
				rep, err2 := stream.Backfill(t.Context(), src, sink, opts)
				if err2 != nil || len(sink.durable) != records+2 {
					t.Errorf("lapsed after %d reads, killed after %v: got %d records durable of %d, complete %v; %v, %v; %d objects done by the first run",
						readable, kill, len(sink.durable), records+2, rep.Complete(), err, err2, first.Counts.Done.Objects)
				}
			})
		}
	}
}

// A restore that fails is asked for again only by policy, with pauses that grow; one
// that can never succeed is not asked for again.
func TestRestoreRefusals(t *testing.T) {
	again := func(*stream.Error, stream.Totals) (stream.Action, error) { return stream.RestoreThenRetry, nil }
	for _, tt := range []*struct {
		reason string
		store  glacier
		policy stream.Policy
		asked  int // within ten hours
		class  stream.Class
	}{
		{"refused for the moment: the pause doubles from Poll to MaxPoll", glacier{refusal: driver.ErrTransient}, again, 43, stream.ClassCanceled},
		{"an error without a class likewise", glacier{refusal: errors.New("no")}, again, 43, stream.ClassCanceled},
		{"the object cannot be looked at", glacier{lost: errors.New("no")}, again, 23, stream.ClassCanceled},
		{"said to be readable, and is not", glacier{lasts: true}, again, 23, stream.ClassCanceled},
		{"said to be readable, and is not, without a policy", glacier{lasts: true}, nil, 23, stream.ClassCanceled},
		{"a store without restores", glacier{refusal: driver.ErrUnsupported}, again, 1, stream.ClassUnsupported},
		{"refused, without a policy", glacier{refusal: driver.ErrTransient}, nil, 1, stream.ClassTransient},
		{"refused, and retried: the next try finds it archived", glacier{refusal: driver.ErrTransient}, stream.RetryAtMost(3), 1, stream.ClassArchived},
	} {
		inTime(t, tt.reason, func(t *testing.T) {
			d := &tt.store
			d.Driver = memstore.New()
			s := blob.New(d, &blob.Options{Retry: &blob.Retry{MaxAttempts: 1}})
			put(t, s, "big", []byte("x\n"))
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Hour)
			defer cancel()
			rep, err := stream.Backfill(ctx, s.List(nil), stream.Discard, &stream.Options{
				Lanes: 1, OnObjectError: tt.policy, Restore: &stream.RestoreOptions{Poll: time.Minute, MaxPoll: 15 * time.Minute},
			})
			if d.restores != tt.asked || stream.ClassOf(err) != tt.class || rep.Complete() {
				t.Errorf("%s: got %d requests, %v (class %s), complete %v; want %d, class %s, false", tt.reason,
					d.restores, err, stream.ClassOf(err), rep.Complete(), tt.asked, tt.class)
			}
		})
	}
}

// inTime runs a subtest in virtual time.
func inTime(t *testing.T, name string, f func(t *testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}
