package stream_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
	"github.com/thaw-go/thaw/stream"
)

// A Backfill whose parser refuses records, and Redrives of its quarantine until none is
// left, deliver all records together: each exactly once, and at least once if the jobs are
// killed anywhere and run again.
func TestRedriveProperty(t *testing.T) {
	t.Parallel()
	rounds := uint64(24)
	if testing.Short() {
		rounds = 8
	}
	for seed := range rounds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, 11))
			s, want := randomObjects(t, rng)
			j := redriven{t: t, s: s, got: newCollector(), rng: rng, kills: rng.IntN(2) == 0, bad: rng.Float64() * 0.02, salt: rng.Uint64(), failing: rng.Float64()}
			j.run(func(opts *stream.Options, sink stream.Sink) (*stream.Report, error) {
				return stream.Backfill(j.ctx, s.List(nil), sink, opts)
			})
			drives := 0
			for j.quarantine.Len() > 0 {
				if drives++; drives > 20 {
					t.Fatalf("the quarantine still has %d bytes", j.quarantine.Len())
				}
				from := bytes.Clone(j.quarantine.Bytes())
				j.quarantine.Reset()
				if j.bad /= 4; drives > 2 {
					j.bad = 0
				}
				j.run(func(opts *stream.Options, sink stream.Sink) (*stream.Report, error) {
					return stream.Redrive(j.ctx, s, stream.ReadQuarantine(bytes.NewReader(from)), sink, opts)
				})
			}
			for id := range want {
				if n := j.got.ids[id]; n == 0 || n > 1 && !j.kills {
					t.Fatalf("the record %s was delivered %d times in %d redrives, kills %v", id, n, drives, j.kills)
				}
			}
			if len(j.got.ids) != len(want) {
				t.Errorf("got %d records, want %d", len(j.got.ids), len(want))
			}
		})
	}
}

// randomObjects is a store of objects of several codecs, and the ids of their records.
func randomObjects(t *testing.T, rng *rand.Rand) (*blob.Store, map[string]int) {
	objects := map[string][]byte{}
	for i := range 1 + rng.IntN(6) {
		name := []string{"none", "gzip", "zstd", "lz4", "bzip2"}[rng.IntN(5)]
		var data []byte
		for range 1 + rng.IntN(3) { // members, to restart at
			data = append(data, encode(t, name, corpus.NDJSONBytes(rng.Uint64(), rng.IntN(3000)))...)
		}
		objects[fmt.Sprintf("%d-%s.%s", i, name, []string{"ndjson", "txt", "json"}[rng.IntN(3)])] = data
	}
	s := store(t, objects)
	all := newCollector()
	if _, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(all.write), nil); err != nil {
		t.Fatal(err)
	}
	return s, all.ids
}

// redriven is a series of jobs, the next of which delivers what the one before left out.
type redriven struct {
	t       *testing.T
	s       *blob.Store
	got     *collector
	rng     *rand.Rand
	kills   bool
	bad     float64 // share of records that the parser refuses
	salt    uint64  // chooses them
	failing float64 // share of them that fail their object

	ctx        context.Context
	quarantine bytes.Buffer
}

// run runs a job until it has finished.
func (j *redriven) run(job func(*stream.Options, stream.Sink) (*stream.Report, error)) {
	cp := &memCheckpoint{}
	bad, salt, failing := j.bad, j.salt, j.failing
	draw := func(rec int64, salt uint64) float64 { return rand.New(rand.NewPCG(uint64(rec), salt)).Float64() }
	record := stream.Quarantine(&j.quarantine)
	opts := &stream.Options{
		Lanes: 1 + j.rng.IntN(4), Checkpoint: cp, OnObjectError: stream.Quarantine(&j.quarantine),
		OnRecordError: func(e *stream.Error, t stream.Totals) (stream.Action, error) {
			if draw(*e.Entry().Record, salt+1) < failing {
				return stream.Fail, nil
			}
			return record(e, t)
		},
	}
	for runs := 0; ; runs++ {
		if runs > 200 {
			j.t.Fatal("the job does not end")
		}
		ctx, cancel := context.WithCancel(j.t.Context())
		j.ctx = ctx
		left := 1 + j.rng.IntN(8)
		opts.CheckpointEvery = []time.Duration{time.Nanosecond, time.Hour}[j.rng.IntN(2)]
		inner := refuse(j.got, j.rng.IntN(2) == 0, func(rec stream.Record) bool { return draw(rec.Index, salt) < bad })
		kills, count := j.kills && runs < 20, make(chan int, 1)
		count <- left
		sink := stream.SinkFunc(func(ctx context.Context, b *stream.Batch) error {
			if kills {
				n := <-count
				count <- n - 1
				if n == 0 {
					cancel()
				}
			}
			return inner.(stream.SinkFunc)(ctx, b)
		})
		rep, err := job(opts, sink)
		cancel()
		if err == nil && rep.Finished {
			return
		}
		if stream.ClassOf(err) != stream.ClassCanceled {
			j.t.Fatalf("got %v\n%s", err, rep)
		}
	}
}

// Objects whose bytes could not be fetched are delivered from the first record on that was not.
func TestRedriveAfterFaults(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 5))
		struck := map[string]int{}
		var mu sync.Mutex
		fs := faultstore.New(&faultstore.Options{Plan: func(c faultstore.Call) faultstore.Fault {
			mu.Lock()
			defer mu.Unlock()
			if struck[c.Key]++; c.Op != faultstore.Read || struck[c.Key] > 2 {
				return faultstore.Fault{}
			}
			return faultstore.Fault{Kind: faultstore.Reset, At: rng.Int64N(c.Length + 1)}
		}})
		records := 0
		for i, name := range []string{"none", "gzip", "zstd", "lz4", "bzip2"} {
			n := 1 + rng.IntN(4000)
			records += n
			fs.Add(faultstore.Item{Key: fmt.Sprintf("%d.ndjson", i), Content: faultstore.Bytes(encode(t, name, corpus.NDJSONBytes(seed, n)))})
		}
		s := blob.New(fs, &blob.Options{Retry: &blob.Retry{MaxAttempts: 1}})
		got, entries, lost := newCollector(), bytes.Buffer{}, 0
		opts := &stream.Options{OnObjectError: stream.Quarantine(&entries)}
		rep, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(got.write), opts)
		for err == nil && !rep.Complete() && lost < 10 {
			lost++
			from := bytes.Clone(entries.Bytes())
			entries.Reset()
			rep, err = stream.Redrive(t.Context(), s, stream.ReadQuarantine(bytes.NewReader(from)), stream.SinkFunc(got.write), opts)
		}
		if err != nil || !rep.Complete() || len(got.ids) != records || lost == 0 {
			t.Errorf("seed %d: got %v and %d of %d records in %d redrives", seed, err, len(got.ids), records, lost)
		}
		for id, n := range got.ids {
			if n != 1 {
				t.Errorf("seed %d: the record %s was delivered %d times", seed, id, n)
				break
			}
		}
		s.Close()
	}
}
