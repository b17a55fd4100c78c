// Command heap runs one backfill over objects that are made as they are read, and
// follows the live heap and the size of the manifest: one object of many GiB, a million
// small ones, and one whose frame asks for a window of 4 GiB, which must be refused.
// It fails where the live heap goes over the memory of the job and 40 MiB, or the
// manifest over 1 MiB.
//
// It writes a Markdown table.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/bench/sample"
	"github.com/thaw-go/thaw/stream"
)

// beyond is what the live heap may be over the memory of the job.
const beyond = 40 << 20

// mostManifest bounds a saved manifest.
const mostManifest = 1 << 20

func main() {
	var m made
	flag.Int64Var(&m.large, "large", 20<<30, "decoded bytes of the large object")
	flag.IntVar(&m.small, "small", 1_000_000, "small objects")
	memory := flag.Int64("memory", 128<<20, "Options.Memory in bytes")
	lanes := flag.Int("lanes", 16, "objects read at once")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, &m, *memory, *lanes); err != nil {
		fmt.Fprintln(os.Stderr, "heap:", err)
		os.Exit(1)
	}
}

// liveHeap is what the last collection found live, in bytes.
func liveHeap() int64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

func run(ctx context.Context, m *made, memory int64, lanes int) error {
	if err := m.make(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "thaw-bench-heap")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	runtime.GC()
	before := liveHeap()
	fmt.Printf("# Live heap over %d GiB in one object, %d small objects, and a window of 4 GiB\n\n", m.large>>30, m.small)
	fmt.Printf("%s. Command: `go -C internal/bench run ./heap %s`. Memory %d MiB, %d lanes. "+
		"%.1f MiB were live before the job, mostly what the objects are made of.\n\n",
		sample.Machine(), strings.Join(os.Args[1:], " "), memory>>20, lanes, float64(before)/(1<<20))
	fmt.Println("| after, s | objects done | decoded, GiB | records | live heap, MiB | manifest, KiB |")
	fmt.Println("|---|---|---|---|---|---|")

	peak := sample.Heap()
	var manifest, largest atomic.Int64
	row := func(p stream.Progress) {
		fmt.Printf("| %.0f | %d | %.2f | %d | %.1f | %.1f |\n", p.Elapsed.Seconds(), p.Done, float64(p.Decoded)/(1<<30), p.Records,
			float64(liveHeap())/(1<<20), float64(manifest.Load())/(1<<10))
	}
	store := blob.New(m, &blob.Options{Name: "made:"})
	defer store.Close()
	sink := stream.SinkFunc(func(context.Context, *stream.Batch) error { return nil })
	rep, err := stream.Backfill(ctx, store.List(nil), sink, &stream.Options{
		Lanes: lanes, Memory: memory,
		Checkpoint: stream.FileCheckpoint(filepath.Join(dir, "manifest")), CheckpointEvery: time.Second,
		OnObjectError: stream.SkipClasses(stream.ClassLimit),
		Trace: &stream.Trace{
			Progress: row,
			Checkpoint: func(s stream.CheckpointSave) {
				manifest.Store(int64(s.Bytes))
				largest.Store(max(largest.Load(), int64(s.Bytes)))
			},
		},
	})
	most := peak() - before
	if err != nil {
		return err
	}
	c := rep.Counts
	if len(rep.Failures) != 1 {
		return fmt.Errorf("%d objects failed, want the one that asks for too much", len(rep.Failures))
	}
	fmt.Printf("\n%.1f s in all. Peak of the live heap over what was there before: %.1f MiB of %d MiB allowed. Largest manifest: %.1f KiB. "+
		"Objects: %d done, %d skipped: %v.\n", rep.Wall.Seconds(), float64(most)/(1<<20), (memory+beyond)>>20, float64(largest.Load())/(1<<10),
		c.Done.Objects, c.Skipped.Objects, rep.Failures[0].Error)
	switch want := int64(m.small) + 1; {
	case c.Done.Objects != want || c.Skipped.Objects != 1 || rep.Failures[0].Class != stream.ClassOf(codec.ErrLimit):
		return fmt.Errorf("%d objects done and %d skipped, want %d and the one that asks for too much", c.Done.Objects, c.Skipped.Objects, want)
	case c.Delivered() != m.records:
		return fmt.Errorf("%d records, want %d", c.Delivered(), m.records)
	case most > memory+beyond:
		return fmt.Errorf("the live heap grew by %d bytes, over the memory of the job and %d MiB", most, beyond>>20)
	case largest.Load() > mostManifest:
		return fmt.Errorf("a manifest has %d bytes, over %d", largest.Load(), mostManifest)
	}
	return nil
}
