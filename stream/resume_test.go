package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/stream"
)

// memCheckpoint keeps the manifest in memory.
type memCheckpoint struct {
	mu    sync.Mutex
	saves [][]byte
}

func (c *memCheckpoint) Load(context.Context) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.saves) == 0 {
		return nil, nil
	}
	return c.saves[len(c.saves)-1], nil
}

func (c *memCheckpoint) Save(_ context.Context, m []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.saves = append(c.saves, bytes.Clone(m))
	return nil
}

func (c *memCheckpoint) Close() error { return nil }

// A job broken off anywhere, and resumed until it drains, delivers every record,
// and each exactly once after dropping repeated ids. The breaks are errors of the
// sink, Stops and cancellations at random batches.
func TestResume(t *testing.T) {
	objects := map[string][]byte{}
	total := 0
	for i, name := range []string{"none", "gzip", "zstd", "lz4", "gzip", "zstd"} {
		var enc []byte
		for part := range 3 { // members, to restart at
			enc = append(enc, encode(t, name, corpus.NDJSONBytes(uint64(i*7+part), 4000))...)
			total += 4000
		}
		objects[fmt.Sprintf("%d-%s.ndjson", i, name)] = enc
	}
	var parts [][]byte
	for part := range 30 {
		parts = append(parts, corpus.NDJSONBytes(uint64(part), 400))
		total += 400
	}
	withDictionary, err := corpus.ZstdWithDictionary(parts...)
	if err != nil {
		t.Fatal(err)
	}
	objects["6-dictionary.ndjson.zst"] = withDictionary
	s := store(t, objects)
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 1))
		cp := &memCheckpoint{}
		c := newCollector()
		runs, redecoded := 0, int64(0)
		for {
			if runs++; runs > 200 {
				t.Fatalf("seed %d: not done after %d runs", seed, runs)
			}
			ctx, cancel := context.WithCancel(t.Context())
			left := 1 + rng.IntN(12)
			how := rng.IntN(3)
			var mu sync.Mutex
			rep, err := stream.Backfill(ctx, s.List(nil), stream.SinkFunc(func(ctx context.Context, b *stream.Batch) error {
				mu.Lock()
				defer mu.Unlock()
				if left--; left < 0 {
					switch how {
					case 0:
						return stream.Stop
					case 1:
						return errors.New("broken off")
					}
					cancel()
					return ctx.Err()
				}
				return c.write(ctx, b)
			}), &stream.Options{Lanes: 1 + rng.IntN(3), Checkpoint: cp, CheckpointEvery: time.Microsecond})
			cancel()
			redecoded += rep.Counts.Redecoded
			if err == nil && !rep.Stopped {
				if !rep.Complete() {
					t.Fatalf("seed %d: drained, not complete:\n%s", seed, rep)
				}
				all := rep.Earlier.Done.Objects + rep.Counts.Done.Objects
				if all != int64(len(objects)) {
					t.Errorf("seed %d: %d objects done over all runs, want %d", seed, all, len(objects))
				}
				break
			}
		}
		if len(c.ids) != total {
			t.Errorf("seed %d: %d distinct ids after %d runs, want %d", seed, len(c.ids), runs, total)
		}
		repeated := 0
		for _, n := range c.ids {
			repeated += n - 1
		}
		if repeated > total {
			t.Errorf("seed %d: %d records repeated in %d runs", seed, repeated, runs)
		}
	}
}

// A resumed run begins at a restart point where the codec has one.
func TestResumeUsesRestartPoints(t *testing.T) {
	for _, name := range []string{"none", "gzip", "zstd", "lz4"} {
		t.Run(name, func(t *testing.T) {
			var enc []byte
			for part := range 8 {
				enc = append(enc, encode(t, name, corpus.NDJSONBytes(uint64(part), 4000))...)
			}
			s := store(t, map[string][]byte{"a.ndjson": enc})
			cp := &memCheckpoint{}
			n, stopAfter := 0, 24
			sink := stream.SinkFunc(func(context.Context, *stream.Batch) error {
				if n++; n > stopAfter {
					return stream.Stop
				}
				return nil
			})
			opts := &stream.Options{Lanes: 1, Checkpoint: cp}
			first, err := stream.Backfill(t.Context(), s.List(nil), sink, opts)
			if err != nil || !first.Stopped {
				t.Fatal(err)
			}
			stopAfter = 1 << 30
			second, err := stream.Backfill(t.Context(), s.List(nil), sink, opts)
			if err != nil || !second.Complete() || !second.Resumed {
				t.Fatalf("%v\n%s", err, second)
			}
			if got := first.Counts.Delivered() + second.Counts.Delivered(); got != 32000 {
				t.Errorf("%d records over both runs, want 32000", got)
			}
			if d := second.Counts.Redecoded; d > 2<<20 {
				t.Errorf("%d bytes decoded again", d)
			}
			if d := second.Counts.Stored; d > int64(len(enc))*3/4 {
				t.Errorf("%d of %d stored bytes read again", d, len(enc))
			}
		})
	}
}

// Where a codec has no restart point the object is decoded from its start and the
// records before are left out, which the report says.
func TestResumeDecodesAndSkips(t *testing.T) {
	data := corpus.NDJSONBytes(3, 20000)
	s := store(t, map[string][]byte{"a.ndjson.br": encode(t, "brotli", data)})
	cp := &memCheckpoint{}
	c := newCollector()
	n := 0
	stopAfter := 5
	sink := stream.SinkFunc(func(ctx context.Context, b *stream.Batch) error {
		if n++; n > stopAfter {
			return stream.Stop
		}
		return c.write(ctx, b)
	})
	opts := &stream.Options{Lanes: 1, Checkpoint: cp}
	if _, err := stream.Backfill(t.Context(), s.List(nil), sink, opts); err != nil {
		t.Fatal(err)
	}
	stopAfter = 1 << 30
	rep, err := stream.Backfill(t.Context(), s.List(nil), sink, opts)
	if err != nil {
		t.Fatal(err)
	}
	if rep.Counts.Redecoded == 0 || !strings.Contains(rep.String(), "decoded again") {
		t.Errorf("re-decoding is not reported:\n%s", rep)
	}
	if got := c.records["a.ndjson.br"]; len(got) != 20000 || got[19999] != lines(data)[19999] {
		t.Errorf("%d records", len(got))
	}
	// Else the throughput of a core counts bytes whose time is left out.
	if got, want := rep.Codecs[0].Busy, rep.Stages.Decode; got != want {
		t.Errorf("got %v busy for brotli, want all of stage decode: %v", got, want)
	}
}

// An object that was replaced since the manifest was saved starts again.
func TestResumeOfChangedObject(t *testing.T) {
	old, fresh := corpus.NDJSONBytes(3, 20000), corpus.NDJSONBytes(4, 100)
	s := store(t, map[string][]byte{"a.ndjson": old})
	cp := &memCheckpoint{}
	n := 0
	opts := &stream.Options{Lanes: 1, Checkpoint: cp}
	stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(func(context.Context, *stream.Batch) error {
		if n++; n > 3 {
			return stream.Stop
		}
		return nil
	}), opts)
	put(t, s, "a.ndjson", fresh)
	c := newCollector()
	rep, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(c.write), opts)
	if err != nil || rep.Counts.Changed != 1 {
		t.Fatalf("%v, %d changed", err, rep.Counts.Changed)
	}
	if got := len(c.records["a.ndjson"]); got != 100 {
		t.Errorf("%d records of the new version, want 100", got)
	}
}

func TestManifestOfAnotherJobIsRefused(t *testing.T) {
	s := store(t, map[string][]byte{"a/1": []byte("x\n"), "b/1": []byte("y\n")})
	cp := &memCheckpoint{}
	if _, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, &stream.Options{Checkpoint: cp}); err != nil {
		t.Fatal(err)
	}
	saves := len(cp.saves)
	for name, opts := range map[string]*stream.Options{
		"framer": {Checkpoint: cp, Read: stream.ReadOptions{Frame: "ndjson"}},
		"codec":  {Checkpoint: cp, Read: stream.ReadOptions{Codec: "gzip"}},
	} {
		_, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, opts)
		if !errors.Is(err, stream.ErrOtherJob) || stream.ClassOf(err) != stream.ClassConflict {
			t.Errorf("another %s: got %v", name, err)
		}
	}
	if len(cp.saves) != saves {
		t.Error("the other job's manifest was overwritten")
	}
}

// The manifest does not grow with the number of objects or failures.
func TestManifestIsBounded(t *testing.T) {
	objects := map[string][]byte{}
	for i := range 3000 {
		objects[fmt.Sprintf("%05d.gz", i)] = []byte("\x1f\x8b\x08\x00 cut")
	}
	s := store(t, objects)
	cp := &memCheckpoint{}
	rep, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, &stream.Options{
		Lanes: 4, Checkpoint: cp, CheckpointEvery: time.Millisecond, OnObjectError: stream.SkipClasses()})
	if err != nil || rep.Counts.Skipped.Objects != 3000 {
		t.Fatalf("%v %+v", err, rep.Counts)
	}
	for _, data := range cp.saves {
		m, err := stream.ParseManifest(data)
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Open) > 4*(64+1)+4+32+1 || len(m.Failures) > 1000 {
			t.Errorf("%d open, %d failures", len(m.Open), len(m.Failures))
		}
	}
	if m, _ := stream.ParseManifest(cp.saves[len(cp.saves)-1]); !m.Ended || len(m.Open) != 0 {
		t.Errorf("last manifest is %+v", m)
	}
}

// owned is a checkpoint that another run takes over.
type owned struct{ memCheckpoint }

func (c *owned) Save(ctx context.Context, m []byte) error {
	if len(c.saves) > 0 {
		return fmt.Errorf("state: %w", stream.ErrOwner)
	}
	return c.memCheckpoint.Save(ctx, m)
}

func TestLostOwnershipEndsTheJob(t *testing.T) {
	s, _ := mixed(t)
	_, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(func(context.Context, *stream.Batch) error {
		time.Sleep(time.Millisecond)
		return nil
	}), &stream.Options{Checkpoint: &owned{}, CheckpointEvery: time.Millisecond, OnObjectError: stream.SkipClasses()})
	if !errors.Is(err, stream.ErrOwner) {
		t.Errorf("got %v, want ErrOwner", err)
	}
}
