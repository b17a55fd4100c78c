// Command sidecar measures what an index of a gzip object gives: decoding all of it
// with one and two goroutines, and reading in its middle, each against the same
// without an index.
//
//	go -C internal/bench run ./sidecar > docs/results/sidecar.md
//
// Every figure is a child process that works on bytes in memory: it reads the index,
// decodes with the checksum verified, and throws the data away. The figure is wall
// time. It writes a Markdown table.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/thaw-go/thaw/internal/bench/sample"
)

func main() {
	rounds := flag.Int("rounds", 12, "measurements of each variant, taken in turns")
	passes := flag.Int("passes", 3, "how often a child decodes all")
	size := flag.Int("size", 96, "decoded `MB` of each kind of data, at most")
	dir := flag.String("dir", filepath.Join(os.TempDir(), "thaw-bench-sidecar"), "where the objects are made and kept")
	flag.Parse()
	sample.Child(func(variant string) (sample.One, error) {
		kind, how, _ := strings.Cut(variant, " ")
		o, err := load(fileName(*dir, kind, *size))
		if err != nil {
			return sample.One{}, err
		}
		return variants[how](o, *passes)
	})
	if err := compare(*dir, *size, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "sidecar:", err)
		os.Exit(1)
	}
}

// variants by name; the rows of both tables in order.
var variants = map[string]func(o *object, passes int) (sample.One, error){
	whole[0]:  serial,
	whole[1]:  parallel(1),
	whole[2]:  parallel(2),
	middle[0]: randomSkip,
	middle[1]: randomIndex,
}

var (
	whole  = []string{"in order, no index", "index, 1 goroutine", "index, 2 goroutines"}
	middle = []string{"decode and skip", "index"}
)

func compare(dir string, size, rounds int) error {
	fmt.Printf("# What an index of a gzip object gives\n\n")
	fmt.Printf("%s. Command: `go -C internal/bench run ./sidecar %s`. %d rounds, variants in turns, median [interval of at "+
		"least 95 %%].\n\n", sample.Machine(), strings.Join(os.Args[1:], " "), rounds)
	if runtime.NumCPU() < 2 {
		return fmt.Errorf("%d processor: two goroutines cannot be compared with one", runtime.NumCPU())
	}
	all := map[string][]sample.One{}
	fmt.Println("| data | decoded MB | stored MB | index KB | places |\n|---|---|---|---|---|")
	for _, kind := range kinds {
		o, err := stage(dir, kind, size)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %.1f | %.1f | %.1f | %d |\n", kind, float64(o.index.Decoded)/1e6, float64(len(o.stored))/1e6, float64(len(o.form))/1e3, o.index.Len())
		var names []string
		for _, how := range append(whole, middle...) {
			names = append(names, kind+" "+how)
		}
		ones, err := sample.Run(names, rounds, func(r int) {
			fmt.Fprintf(os.Stderr, "\r%s: round %d of %d ", kind, r+1, rounds)
		})
		fmt.Fprintln(os.Stderr)
		if err != nil {
			return err
		}
		for name, o := range ones {
			all[name] = o
		}
	}
	wall := func(o sample.One) float64 { return o.Wall.Seconds() }
	fmt.Printf("\nAll of an object. Faster is against one goroutine with the index, round by round.\n\n")
	fmt.Println("| data | how | MB/s | CPU s for each GB | faster |\n|---|---|---|---|---|")
	for _, kind := range kinds {
		for _, how := range whole {
			ones := all[kind+" "+how]
			rate := sample.Median(sample.Each(ones, func(o sample.One) float64 { return float64(o.Bytes) / 1e6 / wall(o) }))
			cpu := sample.Median(sample.Each(ones, func(o sample.One) float64 { return o.CPU.Seconds() / float64(o.Bytes) * 1e9 }))
			ratio := sample.Median(sample.Ratio(all[kind+" "+whole[1]], ones, wall))
			fmt.Printf("| %s | %s | %.0f [%.0f, %.0f] | %.2f [%.2f, %.2f] | %.2f [%.2f, %.2f] |\n", kind, how,
				rate.Median, rate.Low, rate.High, cpu.Median, cpu.Low, cpu.High, ratio.Median, ratio.Low, ratio.High)
		}
	}
	fmt.Printf("\n%d KiB from places all over the object, a read at a time.\n\n", readSize>>10)
	fmt.Println("| data | how | ms for each read | faster |\n|---|---|---|---|")
	for _, kind := range kinds {
		each := func(o sample.One) float64 { return o.Wall.Seconds() * 1e3 / float64(o.Records) }
		for _, how := range middle {
			ones := all[kind+" "+how]
			ms := sample.Median(sample.Each(ones, each))
			ratio := sample.Median(sample.Ratio(all[kind+" "+middle[0]], ones, each))
			fmt.Printf("| %s | %s | %.2f [%.2f, %.2f] | %.1f [%.1f, %.1f] |\n", kind, how, ms.Median, ms.Low, ms.High, ratio.Median, ratio.Low, ratio.High)
		}
	}
	return nil
}
