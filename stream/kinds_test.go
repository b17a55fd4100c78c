package stream_test

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/thaw-go/thaw/stream"
)

// kind is one framer with data for it: n records, some of them larger than a slab.
type kind struct {
	frame string
	make  func(rng *rand.Rand, n int) []byte
}

// text is a record's body without any byte that a framer of kinds looks for.
func text(rng *rand.Rand) []byte {
	size := rng.IntN(2000)
	switch rng.IntN(60) {
	case 0:
		size = 70<<10 + rng.IntN(300<<10)
	case 1:
		size = 64<<10 - 3 + rng.IntN(7)
	}
	b := bytes.Repeat([]byte{'a' + byte(rng.IntN(26))}, size+8)
	binary.BigEndian.PutUint32(b, rng.Uint32()|0x61616161)
	for i := range b[:4] {
		b[i] = 'a' + b[i]%26
	}
	return b
}

func joined(rng *rand.Rand, n int, record func(b *bytes.Buffer, i int)) []byte {
	var b bytes.Buffer
	for i := range n {
		record(&b, i)
	}
	return b.Bytes()
}

var kinds = []kind{
	{"lines", func(rng *rand.Rand, n int) []byte {
		return joined(rng, n, func(b *bytes.Buffer, i int) { fmt.Fprintf(b, "%s%s", text(rng), []string{"\n", "\r\n", "\n\n"}[i%3]) })
	}},
	{"ndjson", func(rng *rand.Rand, n int) []byte {
		return append([]byte("\xef\xbb\xbf\n"), joined(rng, n, func(b *bytes.Buffer, i int) { fmt.Fprintf(b, "%q%s", text(rng), []string{"\n", "\n \n\n"}[i%2]) })...)
	}},
	{"csv", func(rng *rand.Rand, n int) []byte {
		return joined(rng, n, func(b *bytes.Buffer, i int) { fmt.Fprintf(b, "%d,\"%s\n\"\"x\",y\r\n", i, text(rng)) })
	}},
	{"json-array", func(rng *rand.Rand, n int) []byte {
		b := joined(rng, n, func(b *bytes.Buffer, i int) { fmt.Fprintf(b, ",\n {\"k\": [%d, %q]}", i, text(rng)) })
		b[0] = '['
		return append(b, "\n]\n"...)
	}},
	{"json", func(rng *rand.Rand, n int) []byte {
		return joined(rng, n, func(b *bytes.Buffer, i int) { fmt.Fprintf(b, "{\n\"k\": %q}\n", text(rng)) })
	}},
	{"delim:0001", func(rng *rand.Rand, n int) []byte {
		return joined(rng, n, func(b *bytes.Buffer, i int) { fmt.Fprintf(b, "%s\x00\x01", text(rng)) })
	}},
	{"fixed:1000", func(rng *rand.Rand, n int) []byte {
		b := joined(rng, n, func(b *bytes.Buffer, i int) { b.Write(text(rng)) })
		return b[:len(b)/1000*1000]
	}},
	{"u32be", func(rng *rand.Rand, n int) []byte {
		return joined(rng, n, func(b *bytes.Buffer, i int) {
			t := text(rng)
			binary.Write(b, binary.BigEndian, uint32(len(t)))
			b.Write(t)
		})
	}},
	{"varint", func(rng *rand.Rand, n int) []byte {
		return joined(rng, n, func(b *bytes.Buffer, i int) {
			t := text(rng)
			b.Write(binary.AppendUvarint(nil, uint64(len(t))))
			b.Write(t)
		})
	}},
	{"tar", func(rng *rand.Rand, n int) []byte {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for i := range n {
			t := text(rng)
			w.WriteHeader(&tar.Header{Name: fmt.Sprint(i), Mode: 0o600, Size: int64(len(t))})
			w.Write(t)
		}
		w.Close()
		return b.Bytes()
	}},
	{"whole", func(rng *rand.Rand, n int) []byte { return text(rng) }},
}

// lossy is a Sink whose Writers lose on Close what was not flushed, and that
// breaks a job off after some batches.
type lossy struct {
	mu      sync.Mutex
	durable map[string]string // record by id
	copies  int
	left    int
	how     int
	cancel  func()
}

var errBroken = errors.New("broken off")

func (s *lossy) Open(context.Context, int) (stream.Writer, error) {
	return &lossyWriter{s: s, pending: map[string]string{}}, nil
}

// over says whether the job is to be broken off now.
func (s *lossy) over() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left--
	return s.left < 0
}

type lossyWriter struct {
	s       *lossy
	pending map[string]string
}

func (w *lossyWriter) Write(ctx context.Context, b *stream.Batch) error {
	if b.Len() == 0 {
		return nil
	}
	over := w.s.over()
	for rec := range b.All() {
		w.pending[rec.ID()] = string(rec.Data)
		if over {
			break // a part of the batch has got through
		}
	}
	switch {
	case !over:
		return nil
	case w.s.how == 0:
		return stream.Stop
	case w.s.how == 1:
		return errBroken
	case w.s.how == 2:
		w.s.cancel()
		return ctx.Err()
	}
	return nil
}

func (w *lossyWriter) Flush(context.Context) error {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	if w.s.left < 0 && w.s.how == 3 {
		return errBroken
	}
	maps.Copy(w.s.durable, w.pending)
	w.s.copies += len(w.pending)
	clear(w.pending)
	return nil
}

func (w *lossyWriter) Close() error { return nil }

// A job that is broken off again and again, with a sink that loses what was not
// flushed, ends with the same records as one that is not, for every codec and
// framer. Counts add up after each run and over all of them.
func TestBrokenOffIsTheSame(t *testing.T) {
	codecs := []string{"none", "gzip", "zstd", "lz4", "snappy", "s2", "bzip2"}
	for k, kind := range kinds {
		t.Run(kind.frame, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(uint64(k), 9))
			objects := map[string][]byte{}
			for i, codec := range codecs {
				data := kind.make(rng, 30+rng.IntN(120))
				var enc []byte
				for len(data) > 0 { // members that end anywhere
					n := min(len(data), 1+rng.IntN(1<<20))
					enc = append(enc, encode(t, codec, data[:n])...)
					data = data[n:]
				}
				objects[fmt.Sprintf("%d-%s", i, codec)] = enc
			}
			s := store(t, objects)
			for seed := range 4 {
				opts := &stream.Options{Lanes: 1 + seed, CheckpointEvery: time.Microsecond, Read: stream.ReadOptions{Frame: kind.frame}}
				switch seed {
				case 2:
					opts.Read.MaxRecord, opts.Read.Oversized = 50<<10, stream.SkipOversized
				case 3:
					opts.Read.MaxRecord, opts.Read.Oversized = 50<<10, stream.TruncateOversized
				}
				whole := &lossy{durable: map[string]string{}, left: 1 << 30}
				full, err := stream.Backfill(t.Context(), s.List(nil), whole, opts)
				if err != nil || (len(whole.durable) == 0 && seed != 2) {
					t.Fatalf("%d records and %v", len(whole.durable), err)
				}
				opts.Checkpoint = &memCheckpoint{}
				sink := &lossy{durable: map[string]string{}}
				for run := 1; ; run++ {
					if run > 1000 {
						t.Fatal("no end")
					}
					ctx, cancel := context.WithCancel(t.Context())
					sink.left, sink.how, sink.cancel = 1+rng.IntN(16), rng.IntN(4), cancel
					rep, err := stream.Backfill(ctx, s.List(nil), sink, opts)
					cancel()
					all := sum(rep.Earlier, rep.Counts)
					for _, r := range []stream.Tally{rep.Counts.Remaining(), all.Remaining()} {
						if r.Objects < 0 || r.Size < 0 || r.Delivered < 0 {
							t.Fatalf("run %d: %+v remain of %+v", run, r, all)
						}
					}
					if err != nil || rep.Stopped {
						if rep.Complete() || err != nil && !errors.Is(err, errBroken) && !errors.Is(err, context.Canceled) {
							t.Fatalf("run %d: complete %v, error %v", run, rep.Complete(), err)
						}
						continue
					}
					n := full.Counts
					if all.Remaining() != (stream.Tally{}) || rep.Complete() != full.Complete() ||
						all.Listed != n.Listed || all.Done != n.Done || all.RecordsSkipped != n.RecordsSkipped || all.RecordsTruncated != n.RecordsTruncated {
						t.Errorf("seed %d, %d runs: counts over all are %+v, without a break %+v", seed, run, all, n)
					}
					break
				}
				if !maps.Equal(sink.durable, whole.durable) {
					t.Errorf("seed %d: %d records, without a break %d, or others", seed, len(sink.durable), len(whole.durable))
				}
			}
		})
	}
}

func sum(a, b stream.Counts) stream.Counts {
	add := func(t *stream.Tally, u stream.Tally) {
		t.Objects += u.Objects
		t.Size += u.Size
		t.Delivered += u.Delivered
	}
	add(&a.Listed, b.Listed)
	add(&a.Done, b.Done)
	add(&a.Skipped, b.Skipped)
	add(&a.Failed, b.Failed)
	a.RecordsSkipped += b.RecordsSkipped
	a.RecordsTruncated += b.RecordsTruncated
	return a
}
