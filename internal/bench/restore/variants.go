package main

import (
	"bufio"
	"bytes"
	stdgzip "compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"gocloud.dev/blob/fileblob"

	"github.com/thaw-go/thaw/blob"
	_ "github.com/thaw-go/thaw/blob/filestore"
	"github.com/thaw-go/thaw/internal/bench/sample"
	"github.com/thaw-go/thaw/stream"
)

var variants = map[string]func(dir, codec string, memory int64) (sample.One, error){
	"usual": usual, "std": std, "hand": hand, "backfill": backfill,
}

// decoder resets one decoder of a codec from object to object.
type decoder struct {
	codec string
	in    *bufio.Reader
	gz    gzip.Reader
	stdgz stdgzip.Reader
	zst   *zstd.Decoder
}

func newDecoder(codec string) *decoder {
	d := &decoder{codec: codec, in: bufio.NewReaderSize(nil, 128<<10)}
	if codec == "zstd" {
		d.zst, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	}
	return d
}

func (d *decoder) open(r io.Reader) (io.Reader, error) {
	switch d.codec {
	case "gzip":
		d.in.Reset(r)
		return &d.gz, d.gz.Reset(d.in)
	case "stdgzip":
		d.in.Reset(r)
		return &d.stdgz, d.stdgz.Reset(d.in)
	case "zstd":
		d.in.Reset(r)
		return d.zst, d.zst.Reset(d.in)
	}
	return r, nil
}

// each calls f for every name, on a goroutine a core.
func each(names []string, codec string, f func(d *decoder, name string) (int64, error)) (int64, error) {
	var next, records atomic.Int64
	var wg sync.WaitGroup
	errs := make(chan error, runtime.NumCPU())
	for range runtime.NumCPU() {
		wg.Go(func() {
			d := newDecoder(codec)
			for i := next.Add(1) - 1; i < int64(len(names)); i = next.Add(1) - 1 {
				n, err := f(d, names[i])
				records.Add(n)
				if err != nil {
					errs <- err
					return
				}
			}
		})
	}
	wg.Wait()
	select {
	case err := <-errs:
		return 0, err
	default:
		return records.Load(), nil
	}
}

// std is usual with the standard library's gzip.
func std(dir, codec string, memory int64) (sample.One, error) {
	return usual(dir, "std"+codec, memory)
}

func usual(dir, codec string, _ int64) (sample.One, error) {
	start := time.Now()
	ctx := context.Background()
	bucket, err := fileblob.OpenBucket(dir, nil)
	if err != nil {
		return sample.One{}, err
	}
	defer bucket.Close()
	var names []string
	for it := bucket.List(nil); ; {
		o, err := it.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			return sample.One{}, err
		}
		names = append(names, o.Key)
	}
	n, err := each(names, codec, func(d *decoder, name string) (n int64, err error) {
		r, err := bucket.NewReader(ctx, name, nil)
		if err != nil {
			return 0, err
		}
		defer r.Close()
		dec, err := d.open(r)
		if err != nil {
			return 0, err
		}
		sc := bufio.NewScanner(dec)
		sc.Buffer(make([]byte, 64<<10), 16<<20)
		for sc.Scan() {
			n++
		}
		return n, sc.Err()
	})
	return sample.One{Wall: time.Since(start), Records: n}, err
}

func hand(dir, codec string, _ int64) (sample.One, error) {
	start := time.Now()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return sample.One{}, err
	}
	bufs := sync.Pool{New: func() any { return make([]byte, 256<<10) }}
	n, err := each(names, codec, func(d *decoder, name string) (n int64, err error) {
		f, err := os.Open(name)
		if err != nil {
			return 0, err
		}
		defer f.Close()
		dec, err := d.open(f)
		if err != nil {
			return 0, err
		}
		buf := bufs.Get().([]byte)
		defer bufs.Put(buf)
		have := 0
		for {
			m, err := dec.Read(buf[have:])
			rest := buf[:have+m]
			for {
				i := bytes.IndexByte(rest, '\n')
				if i < 0 {
					break
				}
				n++
				rest = rest[i+1:]
			}
			have = copy(buf, rest)
			if err == io.EOF {
				return n, nil
			}
			if err != nil {
				return n, err
			}
		}
	})
	return sample.One{Wall: time.Since(start), Records: n}, err
}

func backfill(dir, _ string, memory int64) (sample.One, error) {
	stop := make(chan struct{})
	var peak int64
	var wg sync.WaitGroup
	if memory > 0 {
		wg.Go(func() { peak = watchHeap(stop) })
	}
	start := time.Now()
	ctx := context.Background()
	src, err := blob.OpenSource(ctx, dir+"/", nil)
	if err != nil {
		return sample.One{}, err
	}
	rep, err := stream.Backfill(ctx, src, stream.Discard, &stream.Options{Memory: memory})
	one := sample.One{Wall: time.Since(start), Records: rep.Counts.Delivered()}
	close(stop)
	wg.Wait()
	one.Peak = peak
	return one, err
}

// watchHeap gives the largest live heap that a collection found.
func watchHeap(stop chan struct{}) (peak int64) {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return peak
		case <-tick.C:
			metrics.Read(s)
			peak = max(peak, int64(s[0].Value.Uint64()))
		}
	}
}
