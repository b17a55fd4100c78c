package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/thaw-go/thaw/blob"
	_ "github.com/thaw-go/thaw/blob/filestore"
	"github.com/thaw-go/thaw/internal/bench/sample"
	"github.com/thaw-go/thaw/stream"
)

// measure reads the object at path twice, and measures the second time.
func measure(path, how string, workers int, peers []peer) (sample.One, error) {
	read := func() (sample.One, error) { return thaw(path, 1) }
	switch how {
	case "one":
	case "several":
		read = func() (sample.One, error) { return thaw(path, workers) }
	default:
		for _, p := range peers {
			if p.name == how {
				read = func() (sample.One, error) { return library(path, p.open) }
			}
		}
	}
	if _, err := read(); err != nil {
		return sample.One{}, err
	}
	runtime.GC()
	peak := sample.Heap()
	cpu, start := sample.CPU(), time.Now()
	one, err := read()
	one.Wall, one.CPU, one.Peak = time.Since(start), sample.CPU()-cpu, peak()
	return one, err
}

// thaw counts the lines of the object by a job of one lane.
func thaw(path string, workers int) (sample.One, error) {
	ctx := context.Background()
	src, err := blob.OpenSource(ctx, path, nil)
	if err != nil {
		return sample.One{}, err
	}
	rep, err := stream.Backfill(ctx, src, stream.Discard, &stream.Options{Lanes: 1, Workers: workers, Read: stream.ReadOptions{Frame: "lines"}})
	return sample.One{Records: rep.Counts.Delivered(), Bytes: rep.Counts.Decoded}, err
}

// library counts them by a reader of a library and a bufio.Scanner.
func library(path string, open func(io.Reader) (io.Reader, error)) (one sample.One, err error) {
	f, err := os.Open(path)
	if err != nil {
		return one, err
	}
	defer f.Close()
	r, err := open(bufio.NewReaderSize(f, 256<<10))
	if err != nil {
		return one, err
	}
	if c, ok := r.(interface{ Close() }); ok {
		defer c.Close()
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 256<<10), 16<<20)
	for lines.Scan() {
		one.Records++
		one.Bytes += int64(len(lines.Bytes())) + 1
	}
	return one, lines.Err()
}
