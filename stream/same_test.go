package stream_test

import (
	"archive/tar"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/memstore"
	codecs "github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/stream"
)

var sameRuns = flag.Int("same.runs", 60/few, "how many jobs TestSameRecords compares")

// pieces is a store whose bodies come in pieces of any size, as those of a service do.
type pieces struct {
	driver.Driver
	local bool
	seed  uint64
}

func (p pieces) Traits() driver.Traits {
	return driver.Traits{Local: p.local}
}

func (p pieces) ReadRange(ctx context.Context, key string, offset, length int64, version string) (driver.Range, error) {
	r, err := p.Driver.ReadRange(ctx, key, offset, length, version)
	if err == nil {
		r.Body = &pieceBody{r.Body, rand.New(rand.NewPCG(p.seed, uint64(offset)))}
	}
	return r, err
}

type pieceBody struct {
	io.ReadCloser
	rnd *rand.Rand
}

func (b *pieceBody) Read(p []byte) (int, error) {
	return b.ReadCloser.Read(p[:min(len(p), 1+b.rnd.IntN(1<<b.rnd.IntN(18)))])
}

// formatsOf are objects of one framer, under all codecs that can be written here.
func formatsOf(t testing.TB, frame string) map[string][]byte {
	t.Helper()
	var data []byte
	switch frame {
	case "lines", "fixed:100":
		data = corpus.NDJSONBytes(1, 1200)
		data = data[:len(data)/100*100]
	case "csv":
		for i := range 4000 {
			data = fmt.Appendf(data, "%d,\"a \"\"quoted\"\"\nfield %d\",x\r\n", i, i*i)
		}
	case "json-array":
		data = append(append([]byte("["), bytes.ReplaceAll(bytes.TrimSpace(corpus.NDJSONBytes(2, 1000)), []byte("\n"), []byte(" ,\n"))...), ']')
	case "tar":
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for i := range 200 {
			body := bytes.Repeat([]byte{byte(i)}, i*7)
			w.WriteHeader(&tar.Header{Name: fmt.Sprintf("%d.txt", i), Size: int64(len(body)), Mode: 0o644})
			w.Write(body)
		}
		w.Close()
		data = b.Bytes()
	}
	objects := map[string][]byte{}
	for _, codec := range []string{"none", "gzip", "zstd", "lz4", "snappy", "s2", "bzip2", "zlib", "deflate", "brotli", "lzma"} {
		one, err := corpus.Encode(codec, data)
		if err != nil {
			continue // nothing writes it here
		}
		c, err := codecs.Default().Lookup(codec)
		if err != nil {
			t.Fatal(err)
		}
		objects[codec+strings.Join(c.Extensions[:min(1, len(c.Extensions))], "")] = one // brotli and deflate go by their names
		if codec == "none" || codec == "zlib" || codec == "deflate" || codec == "brotli" || codec == "lzma" {
			continue // members do not follow one another
		}
		var several []byte
		for rest := data; len(rest) > 0; {
			n := min(len(rest), 9973)
			several = append(several, encode(t, codec, rest[:n])...)
			rest = rest[n:]
		}
		objects[codec+" of several"] = several
	}
	return objects
}

// However many lanes and workers a job has, with hooks or without, killed or not, whatever
// pieces the bytes come in and with any memory that one lane can run with: the records are
// the same, byte for byte and under the same ids, and so are the counts.
func TestSameRecords(t *testing.T) {
	t.Parallel()
	type outcome struct {
		records map[string]string
		counts  stream.Counts
	}
	for f, frame := range []string{"lines", "fixed:100", "csv", "json-array", "tar"} {
		objects := formatsOf(t, frame)
		mem := memstore.New()
		plain := blob.New(mem, &blob.Options{Name: "mem://same", Location: "mem://same"})
		for key, data := range objects {
			put(t, plain, key, data)
		}
		run := func(seed uint64, plainest bool) outcome {
			rnd := rand.New(rand.NewPCG(seed, uint64(f)))
			s := blob.New(pieces{mem, rnd.IntN(2) == 0, seed}, &blob.Options{Name: "mem://same", Location: "mem://same"})
			o := outcome{records: map[string]string{}}
			var mu sync.Mutex
			kills, writes, limit := rnd.IntN(4), 0, 0
			opts := &stream.Options{
				Lanes: 1 + rnd.IntN(8), Workers: 1 + rnd.IntN(5),
				Memory: stream.MinMemory(nil) + 12<<20 + int64(rnd.IntN(64<<20)), // windows of S2 and blocks of LZ4 fit
				Read:   stream.ReadOptions{Frame: frame, RangeSize: int64(10_000 + rnd.IntN(1<<20)), InFlight: 1 + rnd.IntN(6)},
			}
			if rnd.IntN(2) == 0 {
				opts.Trace = &stream.Trace{
					ObjectStart: func(stream.ObjectStart) {}, ObjectEnd: func(stream.ObjectEnd) {}, Request: func(stream.Request) {},
					Progress: func(stream.Progress) {}, Checkpoint: func(stream.CheckpointSave) {}, Failure: func(stream.Failure) {},
				}
			}
			if plainest {
				s, kills = plain, 0
				opts = &stream.Options{Lanes: 1, Workers: 1, Read: stream.ReadOptions{Frame: frame}}
			}
			cp := &memCheckpoint{}
			opts.Checkpoint, opts.CheckpointEvery = cp, time.Millisecond
			for {
				ctx, kill := context.WithCancel(t.Context())
				writes, limit = 0, 1+rnd.IntN(60)
				rep, err := stream.Backfill(ctx, s.List(nil), stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
					mu.Lock()
					defer mu.Unlock()
					if writes++; kills > 0 && writes >= limit {
						kill()
						return context.Canceled
					}
					for r := range b.All() {
						id := r.ID()
						if old, ok := o.records[id]; ok && old != string(r.Data) {
							t.Errorf("%s, seed %d: two records of id %s", frame, seed, id)
						}
						o.records[id] = string(r.Data)
					}
					return nil
				}), opts)
				kill()
				if kills > 0 && err != nil {
					kills--
					continue
				}
				if err != nil || !rep.Complete() {
					t.Fatalf("%s, seed %d: got %v, %v", frame, seed, err, rep)
				}
				all := rep.Earlier
				o.counts = stream.Counts{
					Listed: all.Listed, Done: all.Done, Empty: all.Empty + rep.Counts.Empty, NoRecords: all.NoRecords + rep.Counts.NoRecords,
				}
				o.counts.Listed.Objects += rep.Counts.Listed.Objects
				o.counts.Listed.Size += rep.Counts.Listed.Size
				o.counts.Done.Objects += rep.Counts.Done.Objects
				o.counts.Done.Size += rep.Counts.Done.Size
				// Records after the last save count twice in a run that is killed.
				o.counts.Listed.Delivered, o.counts.Done.Delivered = 0, 0
				return o
			}
		}
		want := run(0, true)
		if len(want.records) < 100 {
			t.Fatalf("%s: %d records", frame, len(want.records))
		}
		for seed := range uint64(max(1, *sameRuns/5)) {
			got := run(seed+1, false)
			if !maps.Equal(got.records, want.records) || got.counts != want.counts {
				var missing []string
				for id := range want.records {
					if got.records[id] != want.records[id] {
						missing = append(missing, id)
					}
				}
				slices.Sort(missing)
				t.Errorf("%s, seed %d: got %d records, counts %+v; want %d, %+v; missing or other: %.300q", frame, seed+1, len(got.records), got.counts, len(want.records), want.counts, missing)
			}
		}
	}
}
