package stream_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
	"github.com/thaw-go/thaw/stream"
)

// checkRedecoded holds what a report says of decoding again against its counts.
func checkRedecoded(t testing.TB, rep *stream.Report) {
	t.Helper()
	var sum, objects int64
	reasons := map[stream.RedecodeReason]stream.RedecodedTotal{}
	for _, r := range rep.Redecoded.Reasons {
		sum += r.Decoded
		objects += r.Objects
		reasons[r.Reason] = r
	}
	if sum != rep.Counts.Redecoded {
		t.Errorf("got %d bytes for all reasons, want %d as counted", sum, rep.Counts.Redecoded)
	}
	listed := map[stream.RedecodeReason]stream.RedecodedTotal{}
	for _, o := range rep.Redecoded.Objects {
		r := listed[o.Reason]
		listed[o.Reason] = stream.RedecodedTotal{Reason: o.Reason, Objects: r.Objects + 1, Decoded: r.Decoded + o.Decoded}
	}
	if n := int64(len(rep.Redecoded.Objects)); n != min(objects, 100) {
		t.Errorf("got %d objects in the list, want %d", n, min(objects, 100))
	} else if n == objects && !reflect.DeepEqual(listed, reasons) {
		t.Errorf("got %v by the list, want %v as by reason", listed, reasons)
	}
}

// stoppedWithin returns a store in which a run has stopped within the object key, and what its
// manifest says of the object.
func stoppedWithin(t *testing.T, key string, stored []byte) (*blob.Store, *memCheckpoint, stream.ManifestEntry) {
	t.Helper()
	s := store(t, map[string][]byte{key: stored})
	cp, entry := stopWithin(t, s)
	return s, cp, entry
}

func stopWithin(t *testing.T, s *blob.Store) (*memCheckpoint, stream.ManifestEntry) {
	t.Helper()
	cp := &memCheckpoint{}
	n := 0
	rep, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(func(context.Context, *stream.Batch) error {
		if n++; n > 9 {
			return stream.Stop
		}
		return nil
	}), &stream.Options{Lanes: 1, Checkpoint: cp})
	if err != nil || !rep.Stopped || rep.Counts.Redecoded != 0 {
		t.Fatalf("got %v:\n%s", err, rep)
	}
	m, err := stream.ParseManifest(cp.saves[len(cp.saves)-1])
	if err != nil || len(m.Open) != 1 || m.Open[0].Decoded == 0 {
		t.Fatalf("got %v and %+v", err, m)
	}
	return cp, m.Open[0]
}

// What a run decodes again of an object that an earlier run has begun, and why.
func TestRedecodedOfResumed(t *testing.T) {
	data := corpus.NDJSONBytes(3, 8000)
	other := corpus.NDJSONBytes(4, 9000)
	members := func(codec string) (enc []byte) {
		for at := 0; at < len(data); at += 500_000 {
			enc = append(enc, encode(t, codec, data[at:min(at+500_000, len(data))])...)
		}
		return enc
	}
	all := func(e stream.ManifestEntry) int64 { return e.Decoded }
	holds := stream.SinkFunc(func(_ context.Context, b *stream.Batch) error { return b.HoldObject() })
	whole := stream.PerObject(func(context.Context, blob.Object) (stream.Writer, error) {
		return &counted{open: new(int), whole: new(int)}, nil
	})
	for _, tt := range []struct {
		why     string
		key     string
		stored  []byte
		replace []byte // by then, nil for nothing
		sink    stream.Sink
		reason  stream.RedecodeReason
		want    func(stream.ManifestEntry) int64
	}{
		{"brotli has no restart point", "a.br", encode(t, "brotli", data), nil, stream.Discard, stream.RedecodeNoPoint, all},
		{"a member of gzip is a restart point", "a.gz", members("gzip"), nil, stream.Discard, stream.RedecodeAtPoint,
			func(e stream.ManifestEntry) int64 { return e.Decoded - e.PointDecoded }},
		{"so is a frame of zstd", "a.zst", members("zstd"), nil, stream.Discard, stream.RedecodeAtPoint,
			func(e stream.ManifestEntry) int64 { return e.Decoded - e.PointDecoded }},
		{"plain data goes on at any byte", "a", data, nil, stream.Discard, 0, func(stream.ManifestEntry) int64 { return 0 }},
		{"replaced by more", "a.br", encode(t, "brotli", data), other, stream.Discard, stream.RedecodeChanged, all},
		{"replaced by less", "a.br", encode(t, "brotli", data), other[:1000], stream.Discard, stream.RedecodeChanged,
			func(stream.ManifestEntry) int64 { return 1000 }},
		{"the sink takes whole objects", "a", data, nil, whole, stream.RedecodeWholeObject, all},
	} {
		s, cp, entry := stoppedWithin(t, tt.key, tt.stored)
		if tt.replace != nil {
			put(t, s, tt.key, encode(t, "brotli", tt.replace))
		}
		rep, err := stream.Backfill(t.Context(), s.List(nil), tt.sink, &stream.Options{Lanes: 1, Checkpoint: cp})
		if err != nil || !rep.Complete() {
			t.Fatalf("%s: got %v:\n%s", tt.why, err, rep)
		}
		checkRedecoded(t, rep)
		n := tt.want(entry)
		want := stream.Redecoded{Reasons: []stream.RedecodedTotal{}, Objects: []stream.RedecodedObject{}}
		if tt.reason != 0 {
			want.Reasons = append(want.Reasons, stream.RedecodedTotal{Reason: tt.reason, Objects: 1, Decoded: n})
			want.Objects = append(want.Objects, stream.RedecodedObject{Key: tt.key, Reason: tt.reason, Decoded: n})
		}
		if !reflect.DeepEqual(rep.Redecoded, want) {
			t.Errorf("%s: got %+v, want %+v", tt.why, rep.Redecoded, want)
		}
	}

	// A Writer that asks for the object with its first batch has read some of it again
	// by then.
	s, cp, entry := stoppedWithin(t, "a.br", encode(t, "brotli", data))
	rep, err := stream.Backfill(t.Context(), s.List(nil), holds, &stream.Options{Lanes: 1, Checkpoint: cp})
	if err != nil || !rep.Complete() {
		t.Fatalf("got %v:\n%s", err, rep)
	}
	checkRedecoded(t, rep)
	got := rep.Redecoded.Reasons
	if len(got) != 2 || got[0] != (stream.RedecodedTotal{Reason: stream.RedecodeNoPoint, Objects: 1, Decoded: entry.Decoded}) ||
		got[1].Reason != stream.RedecodeWholeObject || got[1].Decoded <= entry.Decoded {
		t.Errorf("got %+v, want %d bytes to resume and more for the whole object", got, entry.Decoded)
	}
}

// An object that was replaced and is then retried: of what the version before was decoded,
// only the first reading of the new one counts.
func TestRedecodedOfChangedAndRetried(t *testing.T) {
	old, fresh := corpus.NDJSONBytes(3, 8000), corpus.NDJSONBytes(4, 9000)
	d := &flaky{Driver: memstore.New()}
	s := blob.New(d, &blob.Options{Name: "mem://test", Retry: &blob.Retry{MaxAttempts: 1}})
	defer s.Close()
	put(t, s, "a.br", encode(t, "brotli", old))
	cp, entry := stopWithin(t, s)
	stored := encode(t, "brotli", fresh)
	put(t, s, "a.br", stored)
	d.at = []int64{int64(len(stored)) / 9}
	rep, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, &stream.Options{
		Lanes: 1, Checkpoint: cp, OnObjectError: stream.RetryAtMost(1, stream.ClassTransient),
	})
	if err != nil || !rep.Complete() {
		t.Fatalf("got %v:\n%s", err, rep)
	}
	checkRedecoded(t, rep)
	got := rep.Redecoded.Reasons
	if len(got) != 2 || got[0].Reason != stream.RedecodeChanged || got[1].Reason != stream.RedecodeRetried ||
		got[0].Decoded != got[1].Decoded || got[0].Decoded >= entry.Decoded || rep.Counts.Decoded != int64(len(fresh))+got[1].Decoded {
		t.Errorf("got %+v of %d decoded, want as much for both reasons, less than %d, and %d once", got, rep.Counts.Decoded, entry.Decoded, len(fresh))
	}
}

// What a run decodes again of objects whose reading it has broken off itself.
func TestRedecodedInOneRun(t *testing.T) {
	data := corpus.NDJSONBytes(3, 2000)
	oneReason := func(t *testing.T, rep *stream.Report, err error, reason stream.RedecodeReason, objects int64, size int) {
		t.Helper()
		if err != nil || !rep.Complete() {
			t.Fatalf("got %v:\n%s", err, rep)
		}
		checkRedecoded(t, rep)
		got := rep.Redecoded.Reasons
		if len(got) != 1 || got[0].Reason != reason || got[0].Objects != objects || got[0].Decoded == 0 {
			t.Errorf("got %+v, want %d objects for %v", got, objects, reason)
		}
		if n := rep.Counts.Decoded - rep.Counts.Redecoded; n != int64(size) {
			t.Errorf("got %d bytes decoded for the first time, want %d", n, size)
		}
	}
	t.Run("retried", func(t *testing.T) {
		const objects = 130 // more than the list has room for
		stored := encode(t, "brotli", data)
		faults := faultstore.New(&faultstore.Options{Plan: func(c faultstore.Call) faultstore.Fault {
			if c.Op == faultstore.Read && c.Try == 0 {
				return faultstore.Fault{Kind: faultstore.Reset, At: int64(len(stored)) / 2}
			}
			return faultstore.Fault{}
		}})
		for i := range objects {
			faults.Add(faultstore.Item{Key: fmt.Sprintf("%03d.br", i), Content: faultstore.Bytes(stored)})
		}
		s := blob.New(faults, once)
		defer s.Close()
		rep, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, &stream.Options{
			Lanes: 3, OnObjectError: stream.RetryAtMost(1, stream.ClassTransient),
		})
		oneReason(t, rep, err, stream.RedecodeRetried, objects, objects*len(data))
	})
	t.Run("memory", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			data := withLongRecord()
			_, rep, err := beside(t, nil, zstdWindow(22, data), nil, nil)
			oneReason(t, rep, err, stream.RedecodeReopened, 1, len(data))
		})
	})
	t.Run("restored", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			fs := faultstore.New(nil)
			fs.Add(faultstore.Item{Key: "a.br", Content: faultstore.Bytes(encode(t, "brotli", data))})
			s := blob.New(&lapsing{Store: fs}, once)
			defer s.Close()
			rep, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, &stream.Options{
				Lanes: 1, Read: stream.ReadOptions{RangeSize: 32 << 10, InFlight: 1}, Restore: &stream.RestoreOptions{Days: 1},
			})
			oneReason(t, rep, err, stream.RedecodeRestored, 1, len(data))
		})
	})
}

// lapsing is a store whose object is archived at its second request, until it is restored.
type lapsing struct {
	*faultstore.Store
	reads int
}

func (l *lapsing) ReadRange(ctx context.Context, key string, off, n int64, version string) (driver.Range, error) {
	if l.reads++; l.reads == 2 {
		return driver.Range{}, driver.ErrArchived
	}
	return l.Store.ReadRange(ctx, key, off, n, version)
}

// Whatever bodies break off where, and with whatever codec, what was not decoded again is
// each byte once.
func TestRedecodedAddsUp(t *testing.T) {
	codecs := []string{"none", "gzip", "zstd", "lz4", "bzip2"}
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 5))
		tries := map[string]int{}
		faults := faultstore.New(&faultstore.Options{Plan: func(c faultstore.Call) faultstore.Fault {
			if n := int64(rng.IntN(20_000)); c.Op == faultstore.Read && tries[c.Key] < 3 {
				tries[c.Key]++
				return faultstore.Fault{Kind: faultstore.Reset, At: 2000 + n}
			}
			return faultstore.Fault{}
		}})
		size := int64(0)
		for i := range 6 {
			codec := codecs[rng.IntN(len(codecs))]
			var enc []byte
			for range 1 + rng.IntN(3) {
				part := corpus.NDJSONBytes(rng.Uint64(), 200+rng.IntN(1500))
				size += int64(len(part))
				enc = append(enc, encode(t, codec, part)...)
			}
			faults.Add(faultstore.Item{Key: fmt.Sprint(i, ".", codec), Content: faultstore.Bytes(enc)})
		}
		s := blob.New(faults, once)
		defer s.Close()
		rep, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, &stream.Options{
			Lanes: 1 + rng.IntN(3), OnObjectError: stream.RetryAtMost(20, stream.ClassTransient),
		})
		if err != nil || !rep.Complete() {
			t.Fatalf("seed %d: got %v:\n%s", seed, err, rep)
		}
		checkRedecoded(t, rep)
		if n := rep.Counts.Decoded - rep.Counts.Redecoded; n != size || rep.Counts.Redecoded == 0 {
			t.Errorf("seed %d: got %d bytes decoded for the first time, and %d again, want %d of %d objects", seed, n, rep.Counts.Redecoded, size, len(rep.Codecs))
		}
	}
}

// The reports of Readers have what was decoded again since memory ran short. Which of them
// comes first is left to the scheduler, so that not every round suspends one.
func TestRedecodedOfReaders(t *testing.T) {
	for range 100 {
		if suspendedReaders(t) > 0 {
			return
		}
	}
	t.Error("no Reader was suspended")
}

// suspendedReaders returns how many bytes Readers that share little memory decode again.
func suspendedReaders(t *testing.T) int64 {
	var again atomic.Int64
	synctest.Test(t, func(t *testing.T) {
		size := int64(len(corpus.NDJSONBytes(1, 3000)) + len(corpus.NDJSONBytes(2, 3000)))
		s := store(t, map[string][]byte{"a.zst": twoWindows()})
		pool := stream.NewPool(&stream.PoolOptions{Memory: 18 << 20, Workers: 4})
		var all sync.WaitGroup
		for i := range 6 {
			all.Go(func() {
				time.Sleep(time.Duration(i) * 300 * time.Millisecond)
				r, err := stream.Open(t.Context(), s, "a.zst", &stream.OpenOptions{Read: stream.ReadOptions{Pool: pool}})
				if err != nil {
					t.Error(err)
					return
				}
				time.Sleep(time.Second)
				if _, err := io.Copy(io.Discard, r); err != nil {
					t.Error(err)
				}
				r.Close()
				rep := r.Report()
				checkRedecoded(t, rep)
				n := rep.Counts
				if n.Decoded-n.Redecoded != size {
					t.Errorf("got %d of %d bytes decoded again, want %d once", n.Redecoded, n.Decoded, size)
				}
				want := []stream.RedecodedObject{{Key: "a.zst", Reason: stream.RedecodeReopened, Decoded: n.Redecoded}}
				if n.Redecoded > 0 && !slices.Equal(rep.Redecoded.Objects, want) {
					t.Errorf("got %+v, want %+v", rep.Redecoded.Objects, want)
				}
				again.Add(n.Redecoded)
			})
		}
		all.Wait()
	})
	return again.Load()
}
