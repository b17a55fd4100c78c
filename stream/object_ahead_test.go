package stream_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/stream"
)

var aheadRuns = flag.Int("ahead.runs", 400/few, "how many damaged objects TestAheadDamaged compares")

// inUnits are objects whose headers show where units begin, of size decoded bytes in units of
// about unit.
func inUnits(t testing.TB, size, unit int) map[string][]byte {
	t.Helper()
	text := corpus.NDJSONBytes(3, size/500)
	for i, rest := 0, corpus.NoiseBytes(5, size/2); len(rest) > 0; i++ { // so that stored bytes are many, too
		n := min(len(rest), 100+i%1000)
		text = append(text, rest[:n]...)
		text = append(text, '\n')
		rest = rest[n:]
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(text)/4096, func(i, j int) {
		var b [4096]byte
		copy(b[:], text[i*4096:])
		copy(text[i*4096:(i+1)*4096], text[j*4096:])
		copy(text[j*4096:], b[:])
	})
	parts := func(encode func(part []byte, i int) []byte) (all []byte) {
		for i, rest := 0, text; len(rest) > 0; i++ {
			n := min(len(rest), unit)
			all = append(all, encode(rest[:n], i)...)
			rest = rest[n:]
		}
		return all
	}
	of := func(codec string) func([]byte, int) []byte {
		return func(p []byte, _ int) []byte { return encode(t, codec, p) }
	}
	skippable := []byte("\x50\x2a\x4d\x18\x04\x00\x00\x00skip")
	return map[string][]byte{
		"bgzf":             append(parts(func(p []byte, _ int) []byte { return corpus.BGZF(p[:min(len(p), 65280)]) }), corpus.BGZF(nil)...),
		"bgzf without end": parts(func(p []byte, _ int) []byte { return corpus.BGZF(p[:min(len(p), 65280)]) }),
		"bgzf, then gzip":  append(parts(func(p []byte, _ int) []byte { return corpus.BGZF(p[:min(len(p), 65280)]) }), encode(t, "gzip", text)...),
		"gzip members":     parts(of("gzip")),
		"zstd frames":      parts(of("zstd")),
		"zstd, skippable frames": parts(func(p []byte, i int) []byte {
			return append(bytes.Repeat(skippable, i%3), encode(t, "zstd", p)...)
		}),
		"snappy":         encode(t, "snappy", text),
		"snappy streams": parts(of("snappy")),
		"s2":             encode(t, "s2", text),
		"lz4 frames":     parts(of("lz4")),
		"bzip2 streams":  parts(of("bzip2")),
	}
}

// outcome is what a read of an object came to.
type readOutcome struct {
	records int64
	sum     uint64
	err     string
	class   stream.Class
	stored  int64 // of the error
	decoded int64
	counts  stream.Counts
}

func readWith(ctx context.Context, s *blob.Store, key string, opts *stream.Options) (o readOutcome) {
	h := fnv.New64a()
	rep, err := stream.Backfill(ctx, blob.Keys(s, key), stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
		for r := range b.All() {
			o.records++
			h.Write(r.Data)
			fmt.Fprintln(h, r.Index, r.Offset)
		}
		return nil
	}), opts)
	o.sum, o.counts = h.Sum64(), rep.Counts
	if e, ok := errors.AsType[*stream.Error](err); ok {
		o.class, o.stored, o.decoded, o.err = e.Class, e.Offset, e.Decoded, err.Error()
	} else if err != nil {
		o.err = err.Error()
	}
	return o
}

// Several workers for one object return what one worker returns, at any number of workers and
// with little memory.
func TestAheadSame(t *testing.T) {
	t.Parallel()
	objects := inUnits(t, 3<<20/min(few, 4), 50<<10)
	s := store(t, objects)
	for key := range objects {
		for _, memory := range []int64{0, 24 << 20, stream.MinMemory(nil)} {
			want := readWith(t.Context(), s, key, &stream.Options{Workers: 1, Lanes: 1, Memory: memory})
			for _, workers := range []int{2, 3, 8} {
				got := readWith(t.Context(), s, key, &stream.Options{Workers: workers, Lanes: 1, Memory: memory})
				if got != want {
					t.Errorf("%s, %d workers, memory %d: got\n%+v, want\n%+v", key, workers, memory, got, want)
				}
			}
		}
	}
}

// Objects that are cut or damaged end with the same error, at the same place and after the
// same records.
func TestAheadDamaged(t *testing.T) {
	t.Parallel()
	objects := inUnits(t, 1<<20, 20<<10)
	var keys []string
	for key := range objects {
		keys = append(keys, key)
	}
	for run := range *aheadRuns {
		rnd := rand.New(rand.NewPCG(uint64(run), 7))
		key := keys[run%len(keys)]
		data := bytes.Clone(objects[key])
		what := ""
		for range 1 + rnd.IntN(2) {
			at := rnd.IntN(len(data))
			switch rnd.IntN(4) {
			case 0:
				data, what = data[:max(at, 1)], fmt.Sprintf("%s cut at %d", what, at)
			case 1:
				data, what = append(data[:at:at], data[min(len(data), at+1+rnd.IntN(100)):]...), fmt.Sprintf("%s bytes lost at %d", what, at)
			default:
				data[at] ^= 1 << rnd.IntN(8)
				what = fmt.Sprintf("%s flip at %d", what, at)
			}
			if len(data) == 0 {
				data = []byte{0}
			}
		}
		s := store(t, map[string][]byte{"x": data})
		read := stream.ReadOptions{Frame: "lines", Decode: codec.Options{IgnoreTrailing: rnd.IntN(4) == 0}}
		want := readWith(t.Context(), s, "x", &stream.Options{Workers: 1, Lanes: 1, Read: read})
		got := readWith(t.Context(), s, "x", &stream.Options{Workers: 2 + rnd.IntN(6), Lanes: 1, Read: read})
		if got != want {
			t.Errorf("run %d: %s%s: got\n%+v, want\n%+v", run, key, what, got, want)
		}
	}
}

// What only looks like a member is none: the object is read to its end all the same, from the
// last place that is sure.
func TestAheadFalseMembers(t *testing.T) {
	t.Parallel()
	line := []byte("a line with \x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x4b in it, which begins a member of gzip for who does not decode\n")
	var data, stored []byte
	for range 6 {
		part := append(corpus.NoiseBytes(uint64(len(data)), 300<<10), bytes.Repeat(line, 2000)...)
		var b bytes.Buffer
		w, _ := gzip.NewWriterLevel(&b, gzip.NoCompression) // so that the lines are there as they are
		w.Write(part)
		w.Close()
		stored, data = append(stored, b.Bytes()...), append(data, part...)
	}
	s := store(t, map[string][]byte{"x": stored})
	read := stream.ReadOptions{Frame: "lines"}
	want := readWith(t.Context(), s, "x", &stream.Options{Workers: 1, Lanes: 1, Read: read})
	for _, workers := range []int{2, 5} {
		got := readWith(t.Context(), s, "x", &stream.Options{Workers: workers, Lanes: 1, Read: read})
		again := got.counts.Redecoded
		got.counts.Decoded -= again
		if got.counts.Redecoded = 0; got.records != want.records || got.sum != want.sum || got.err != "" || want.err != "" || got.counts.Decoded != int64(len(data)) {
			t.Errorf("%d workers: got\n%+v, want\n%+v", workers, got, want)
		}
		if again == 0 {
			t.Errorf("%d workers: nothing was decoded again, so that no false member was met", workers)
		}
	}
}

func BenchmarkAhead(b *testing.B) {
	objects := inUnits(b, 64<<20, 4<<20)
	s := store(b, objects)
	for _, key := range []string{"bgzf", "zstd frames", "gzip members", "snappy", "s2", "lz4 frames"} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/%d", key, workers), func(b *testing.B) {
				for b.Loop() {
					rep, err := stream.Backfill(b.Context(), blob.Keys(s, key), stream.Discard, &stream.Options{Workers: workers, Lanes: 1})
					if err != nil {
						b.Fatal(err)
					}
					b.SetBytes(rep.Counts.Decoded)
				}
			})
		}
	}
}
