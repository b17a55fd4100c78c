package stream_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/maphash"
	"io"
	"maps"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/stream"
)

// encodeBy is what a writer makes of data, written in pieces: of a small whole some
// would make a frame without a window.
func encodeBy(t testing.TB, data []byte, open func(io.Writer) (io.WriteCloser, error)) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := open(&b)
	if err != nil {
		t.Fatal(err)
	}
	for len(data) > 0 {
		n := min(len(data), 200<<10)
		if _, err := w.Write(data[:n]); err != nil {
			t.Fatal(err)
		}
		data = data[n:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// frameOf is data as a zstd frame with a window, whose size is not declared.
func frameOf(t testing.TB, window int, data []byte) []byte {
	return encodeBy(t, data, func(w io.Writer) (io.WriteCloser, error) {
		return zstd.NewWriter(w, zstd.WithWindowSize(window), zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	})
}

func gzipOf(t testing.TB, data []byte) []byte {
	return encodeBy(t, data, func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriterLevel(w, gzip.NoCompression) })
}

func xzOf(t testing.TB, dict int, data []byte) []byte {
	return encodeBy(t, data, func(w io.Writer) (io.WriteCloser, error) { return xz.WriterConfig{DictCap: dict}.NewWriter(w) })
}

// lzipOf is data as a member with a dictionary of 1<<log bytes.
func lzipOf(t testing.TB, log byte, data []byte) []byte {
	raw := encodeBy(t, data, func(w io.Writer) (io.WriteCloser, error) {
		return lzma.WriterConfig{DictCap: 64 << 10, EOSMarker: true}.NewWriter(w)
	})
	b := append([]byte("LZIP"), 1, log)
	b = append(b, raw[13:]...)
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(data))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(data)))
	return binary.LittleEndian.AppendUint64(b, uint64(len(b)+8))
}

// repeats is size bytes of lines, where each of the first half is met again in the
// second: decoding needs a window of a half.
func repeats(seed uint64, size int) []byte {
	const digits, line = "0123456789abcdef", 8192
	out := make([]byte, 0, size)
	for _, b := range corpus.NoiseBytes(seed, size/4/line*line) {
		out = append(out, digits[b>>4], digits[b&15])
		if len(out)%line == 0 {
			out[len(out)-1] = '\n'
		}
	}
	return append(out, out...)
}

// liveHeap is what the heap holds after a collection.
func liveHeap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Windows of later frames, members and blocks, and those of layers inside, are
// charged before they are taken: many lanes with large ones stay within Memory.
func TestLiveHeapOfGrowingWindows(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	const memory = 32 << 20
	few, many := corpus.NDJSONBytes(1, 200), repeats(1, 17<<20)
	proven := append(frameOf(t, 1<<10, few), frameOf(t, 16<<20, many)...)
	raw := append(zstdWindow(17, few), zstdWindow(24, many)...)
	tame := bytes.Repeat(repeats(2, 64<<10), 136) // encoded in no time
	for _, tc := range []struct {
		extension string
		data      []byte
		stored    []byte
	}{
		{".zst", append(few, many...), proven},
		{".zst.gz", append(few, many...), gzipOf(t, raw)},
		{".xz", append(few, tame...), append(xzOf(t, 64<<10, few), xzOf(t, 8<<20, tame)...)},
		{".lz", append(few, tame...), append(lzipOf(t, 16, few), lzipOf(t, 23, tame)...)},
	} {
		objects := map[string][]byte{}
		for i := range 6 {
			objects[fmt.Sprintf("%02d.ndjson%s", i, tc.extension)] = tc.stored
		}
		s := store(t, objects)
		seed := maphash.MakeSeed()
		want := maphash.Bytes(seed, tc.data)
		var mu sync.Mutex
		sums := map[string]*maphash.Hash{}
		peak, n, before := int64(0), 0, liveHeap()
		rep, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
			mu.Lock()
			defer mu.Unlock()
			h := sums[b.Object().Key]
			if h == nil {
				h = new(maphash.Hash)
				h.SetSeed(seed)
				sums[b.Object().Key] = h
			}
			for rec := range b.All() {
				h.Write(rec.Data)
				h.WriteByte('\n')
			}
			if n++; n%100 == 0 {
				peak = max(peak, liveHeap()-before)
			}
			return nil
		}), &stream.Options{Lanes: 6, Workers: 4, Memory: memory})
		if err != nil {
			t.Fatalf("%s: %v", tc.extension, err)
		}
		t.Logf("%s: live heap %d MiB, budget %d MiB", tc.extension, peak>>20, rep.PeakMemory>>20)
		if peak > memory+40<<20 {
			t.Errorf("%s: live heap grew by %d, allowed %d", tc.extension, peak, memory+40<<20)
		}
		if rep.PeakMemory > memory {
			t.Errorf("%s: budget peak is %d of %d", tc.extension, rep.PeakMemory, memory)
		}
		for key := range objects {
			if h := sums[key]; h == nil || h.Sum64() != want {
				t.Errorf("%s: got other records than were stored", key)
			}
		}
	}
}

// windows are objects of frames whose windows go up and down after a small one,
// with records that reach from frame to frame.
func windows(n int, most int, seed uint64) map[string][]byte {
	rng := rand.New(rand.NewPCG(seed, 1))
	objects := map[string][]byte{}
	for i := range n {
		var stored []byte
		var data []byte
		for k := range 10 {
			data = append(data, bytes.Repeat([]byte{'a' + byte(k)}, []int{100, 500 << 10, 90 << 10, 300 << 10}[rng.IntN(4)])...)
			data = append(data, '\n')
		}
		for len(data) > 0 {
			size, log := min(len(data), 1+rng.IntN(400<<10)), 17
			if stored != nil {
				log += rng.IntN(most - 16)
			}
			stored = append(stored, zstdWindow(log, data[:size])...)
			data = data[size:]
		}
		objects[fmt.Sprintf("%02d.txt.zst", i)] = stored
	}
	return objects
}

// Many lanes that grow at once, with records under way, all come to their end, and
// deliver what one lane delivers.
func TestGrowingLanesFinish(t *testing.T) {
	const memory = 32 << 20
	for seed := range uint64(2) {
		s := store(t, windows(6, 24, seed))
		read := func(lanes int) map[string]string {
			var mu sync.Mutex
			got := map[string]string{}
			rep, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
				mu.Lock()
				defer mu.Unlock()
				for rec := range b.All() {
					got[b.Object().Key] += fmt.Sprintf("%d%c ", len(rec.Data), rec.Data[0])
				}
				return nil
			}), &stream.Options{Lanes: lanes, Memory: memory})
			if err != nil {
				t.Fatal(err)
			}
			if rep.PeakMemory > memory {
				t.Errorf("%d lanes: budget peak is %d of %d", lanes, rep.PeakMemory, memory)
			}
			return got
		}
		if one, many := read(1), read(8); !maps.Equal(one, many) {
			t.Errorf("seed %d: eight lanes deliver other records than one", seed)
		}
	}
}

// What can never be had is a limit with its figures, after the records before.
func TestGrowthBeyondMemory(t *testing.T) {
	few := corpus.NDJSONBytes(1, 50)
	// The outer layer has its window by the time that the inner one needs more.
	inner := bytes.Join([][]byte{lzipOf(t, 16, few), lzipOf(t, 16, corpus.NDJSONBytes(2, 24000)), lzipOf(t, 23, few)}, nil)
	outer := frameOf(t, 8<<20, append(inner, corpus.NoiseBytes(1, 9<<20)...))
	s := store(t, map[string][]byte{"a.ndjson.lz.zst": outer})
	pool := stream.NewPool(&stream.PoolOptions{Memory: 20 << 20, Workers: 1})
	records := 0
	for _, err := range stream.Records(t.Context(), s, "a.ndjson.lz.zst", &stream.RecordsOptions{Read: stream.ReadOptions{Pool: pool}}) {
		if records++; err == nil {
			continue
		}
		var limit *codec.LimitError
		if stream.ClassOf(err) != stream.ClassLimit || !errors.As(err, &limit) || limit.What != "memory" ||
			limit.Needed <= limit.Allowed || limit.Allowed <= 0 || limit.Needed > 24<<20 {
			t.Errorf("got %v, want a limit of memory with its figures", err)
		}
	}
	if records != 24051 {
		t.Errorf("got %d steps, want 24050 records and an error", records)
	}
	if held, claims, permits := pool.Held(); held != 0 || claims != 0 || permits != 0 {
		t.Errorf("%d bytes, %d claims, %d permits are still taken", held, claims, permits)
	}
}

// A lane that waits to grow has no permit, is in stage queue, and goes when its
// context does.
func TestCancelWhileGrowing(t *testing.T) {
	few, many := corpus.NDJSONBytes(1, 400), repeats(1, 4<<20)
	stored := append(frameOf(t, 1<<10, few), frameOf(t, 8<<20, many)...)
	synctest.Test(t, func(t *testing.T) {
		s := store(t, map[string][]byte{"a.ndjson.zst": stored, "b.ndjson.zst": frameOf(t, 8<<20, many), "c.ndjson": few})
		pool := stream.NewPool(&stream.PoolOptions{Memory: 18 << 20, Workers: 1})
		opts := &stream.OpenOptions{Read: stream.ReadOptions{Pool: pool, MaxRecord: 64 << 10}}
		holder, err := stream.Open(t.Context(), s, "b.ndjson.zst", opts)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		rd, err := stream.Open(ctx, s, "a.ndjson.zst", opts)
		if err != nil {
			t.Fatal(err) // its first bytes need little
		}
		_, err = io.Copy(io.Discard, rd)
		if stream.ClassOf(err) != stream.ClassCanceled || !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Minute {
			t.Errorf("got %v after %v, want the end of the context at it", err, time.Since(start))
		}
		if got := rd.Report().Stages.Queue; got != time.Minute {
			t.Errorf("got %v in stage queue, want a minute", got)
		}
		rd.Close()
		holder.Close()
		if held, claims, permits := pool.Held(); held != 0 || claims != 0 || permits != 0 {
			t.Errorf("%d bytes, %d claims, %d permits are still taken", held, claims, permits)
		}
	})
}
