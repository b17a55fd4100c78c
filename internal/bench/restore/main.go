// Command restore compares three ways to read every record of a folder of
// compressed NDJSON:
//
//	usual     gocloud.dev reader, klauspost decoder, bufio.Scanner, a goroutine a core
//	std       the same on compress/gzip, over gzip alone
//	hand      the same decoders driven by hand: bytes.IndexByte on a reused 256 KiB buffer
//	backfill  stream.Backfill with a null sink
//
// All keep one decoder a goroutine and reset it. It writes a Markdown table.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/thaw-go/thaw/internal/bench/sample"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

func main() {
	rounds := flag.Int("rounds", 12, "measurements of each variant, taken in turns")
	objects := flag.Int("objects", 64, "objects in each folder")
	records := flag.Int("records", 20_000, "records in each object")
	codecs := flag.String("codecs", "zstd,gzip,none", "codecs to measure")
	memory := flag.Int64("memory", 0, "Options.Memory of backfill in bytes; 0 is its default")
	cold := flag.Bool("cold", false, "measure the first pass of each process instead of the second")
	dir := flag.String("dir", filepath.Join(os.TempDir(), "thaw-bench-restore"), "where the data is staged and kept")
	flag.Parse()
	sample.Child(func(variant string) (sample.One, error) {
		how, codec, _ := strings.Cut(variant, " ")
		f := variants[how]
		if !*cold {
			// Pages of code and buffers are there from a first pass, and what it
			// left is collected: else it is chance who gets its memory again, and
			// who new memory from the system.
			if one, err := f(filepath.Join(*dir, codec), codec, *memory); err != nil {
				return one, err
			}
			runtime.GC()
		}
		before := sample.CPU()
		one, err := f(filepath.Join(*dir, codec), codec, *memory)
		one.CPU = sample.CPU() - before
		return one, err
	})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *dir, strings.Split(*codecs, ","), *objects, *records, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "restore:", err)
		os.Exit(1)
	}
}

// order is that of the measurements and of the rows.
func order(codec string) []string {
	if codec == "gzip" {
		return []string{"usual", "std", "hand", "backfill"}
	}
	return []string{"usual", "hand", "backfill"}
}

func run(ctx context.Context, dir string, codecs []string, objects, records, rounds int) error {
	fmt.Printf("# Restore path: %d objects of %d NDJSON records\n\n", objects, records)
	fmt.Printf("%s. Command: `go -C internal/bench run ./restore %s`. %d rounds, variants in turns, "+
		"median [interval of at least 95 %%].\n\n", sample.Machine(), strings.Join(os.Args[1:], " "), rounds)
	fmt.Println("| codec | variant | M records/s | CPU-s | wall against hand | CPU against hand | backfill against it | peak live heap |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	for _, codec := range codecs {
		if err := stage(filepath.Join(dir, codec), codec, objects, records); err != nil {
			return err
		}
		var names []string
		for _, how := range order(codec) {
			names = append(names, how+" "+codec)
		}
		all, err := sample.Run(names, rounds, func(r int) {
			fmt.Fprintf(os.Stderr, "\r%s: round %d of %d ", codec, r+1, rounds)
		})
		fmt.Fprintln(os.Stderr)
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		hand := all["hand "+codec]
		for i, how := range order(codec) {
			ones := all[names[i]]
			if want := int64(objects * records); ones[0].Records != want {
				return fmt.Errorf("%s counted %d records, want %d", names[i], ones[0].Records, want)
			}
			rate := sample.Median(sample.Each(ones, func(o sample.One) float64 { return float64(o.Records) / o.Wall.Seconds() / 1e6 }))
			cpu := sample.Median(sample.Each(ones, func(o sample.One) float64 { return o.CPU.Seconds() }))
			speed := sample.Median(sample.Ratio(hand, ones, func(o sample.One) float64 { return o.Wall.Seconds() }))
			work := sample.Median(sample.Ratio(ones, hand, func(o sample.One) float64 { return o.CPU.Seconds() }))
			lead := sample.Median(sample.Ratio(ones, all["backfill "+codec], func(o sample.One) float64 { return o.Wall.Seconds() }))
			var peak int64
			for _, o := range ones {
				peak = max(peak, o.Peak)
			}
			fmt.Printf("| %s | %s | %s | %s | %s | %s | %s | %.1f MiB |\n", codec, how, text(rate), text(cpu), text(speed), text(work), text(lead), float64(peak)/(1<<20))
		}
	}
	return nil
}

func text(i sample.Interval) string {
	return fmt.Sprintf("%.2f [%.2f, %.2f]", i.Median, i.Low, i.High)
}

// stage writes the folder once; each object has its own seed.
func stage(dir, codec string, objects, records int) error {
	mark := filepath.Join(filepath.Dir(dir), fmt.Sprintf("%s-%d-%d.staged", codec, objects, records))
	if _, err := os.Stat(mark); err == nil {
		return nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for i := range objects {
		fmt.Fprintf(os.Stderr, "\r%s: staging object %d of %d ", codec, i+1, objects)
		data, err := corpus.Encode(codec, corpus.NDJSONBytes(uint64(i), records))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%04d.ndjson", i)), data, 0o644); err != nil {
			return err
		}
	}
	fmt.Fprintln(os.Stderr)
	return os.WriteFile(mark, []byte(time.Now().UTC().String()), 0o644)
}
