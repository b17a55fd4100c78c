// Command units reads one large object to its lines, with one worker and with two, and
// compares that with the readers of libraries and a bufio.Scanner. Objects consist of units
// that decode side by side, but for the single members.
//
// Each measurement is a process of its own, which reads the object once before. It writes a
// Markdown table.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/thaw-go/thaw/internal/bench/sample"
)

func main() {
	rounds := flag.Int("rounds", 10, "measurements of each variant, taken in turns")
	size := flag.Int("size", 256, "MiB of data in each object")
	only := flag.String("only", "", "objects to measure, by commas; empty means all")
	dir := flag.String("dir", filepath.Join(os.TempDir(), "thaw-bench-units"), "where the objects are staged and kept")
	workers := flag.Int("workers", 2, "workers of the variant that has several")
	flag.Parse()
	sample.Child(func(variant string) (sample.One, error) {
		name, how, _ := strings.Cut(variant, " ")
		for _, o := range objects() {
			if o.name == name {
				return measure(filepath.Join(*dir, o.name), how, *workers, o.peers)
			}
		}
		return sample.One{}, fmt.Errorf("no such object")
	})
	if err := run(*dir, *size, *rounds, *workers, *only); err != nil {
		fmt.Fprintln(os.Stderr, "units:", err)
		os.Exit(1)
	}
}

func run(dir string, size, rounds, workers int, only string) error {
	fmt.Printf("# One object on %d workers\n\n", workers)
	fmt.Printf("%s. Command: `go -C internal/bench run ./units %s`. %d MiB of text in each object, read to its lines. %d rounds, variants in turns, "+
		"median [interval of at least 95 %%].\n\n", sample.Machine(), strings.Join(os.Args[1:], " "), size, rounds)
	fmt.Println("| object | variant | MB/s | CPU-s | thaw on several workers against it | peak live heap |")
	fmt.Println("|---|---|---|---|---|---|")
	for _, o := range objects() {
		if only != "" && !slices.Contains(strings.Split(only, ","), o.name) {
			continue
		}
		if err := o.stage(dir, size); err != nil {
			return err
		}
		names := []string{o.name + " several", o.name + " one"}
		for _, p := range o.peers {
			names = append(names, o.name+" "+p.name)
		}
		all, err := sample.Run(names, rounds, func(r int) { fmt.Fprintf(os.Stderr, "\r%s: round %d of %d ", o.name, r+1, rounds) })
		fmt.Fprintln(os.Stderr)
		if err != nil {
			return err
		}
		for _, name := range names {
			row(name, all[name], all[names[0]])
		}
	}
	return nil
}

func row(name string, ones, several []sample.One) {
	object, how, _ := strings.Cut(name, " ")
	if ones[0].Records != several[0].Records {
		fmt.Fprintf(os.Stderr, "%s: %d lines, thaw has %d\n", name, ones[0].Records, several[0].Records)
	}
	var peak int64
	for _, o := range ones {
		peak = max(peak, o.Peak)
	}
	fmt.Printf("| %s | %s | %s | %s | %s | %.1f MiB |\n", object, how,
		text(sample.Each(ones, func(o sample.One) float64 { return float64(o.Bytes) / o.Wall.Seconds() / 1e6 }), 0),
		text(sample.Each(ones, func(o sample.One) float64 { return o.CPU.Seconds() }), 3),
		text(sample.Ratio(ones, several, func(o sample.One) float64 { return o.Wall.Seconds() }), 2), float64(peak)/(1<<20))
}

func text(v []float64, digits int) string {
	i := sample.Median(v)
	return fmt.Sprintf("%.*f [%.*f, %.*f]", digits, i.Median, digits, i.Low, digits, i.High)
}
