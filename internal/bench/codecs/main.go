// Command codecs compares how fast one core decodes: each codec of package codec,
// the Go libraries that it stands on or that are used in its place, and the
// format's own tool where one is installed, all on the same files.
//
//	go -C internal/bench run ./codecs > docs/results/codecs.md
//
// Every figure is that of a child process with GOMAXPROCS=1 that decodes a file
// from the page cache several times, bzip2 once, after a time for the
// decoder's buffers. The start of the child is no part of it; that of a tool is. It
// writes a Markdown table.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/thaw-go/thaw/internal/bench/sample"
)

func main() {
	rounds := flag.Int("rounds", 12, "measurements of each variant, taken in turns")
	names := flag.String("codecs", strings.Join(codecNames(), ","), "codecs to measure")
	files := flag.String("files", strings.Join(kinds, ","), "data to measure on")
	size := flag.Int("size", 64, "decoded `MB` of a file; half of it for slow codecs")
	dir := flag.String("dir", filepath.Join(os.TempDir(), "thaw-bench-codecs"), "where the files are made and kept")
	flag.Parse()
	sample.Child(func(variant string) (sample.One, error) {
		return measure(*dir, *size, variant)
	})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r := &run{dir: *dir, size: *size, rounds: *rounds}
	if err := r.all(ctx, strings.Split(*names, ","), strings.Split(*files, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "codecs:", err)
		os.Exit(1)
	}
}

// run is one comparison.
type run struct {
	dir    string
	size   int // MB
	rounds int

	verdicts []string
}

func (r *run) all(ctx context.Context, names, files []string) error {
	fmt.Printf("# Decoding on one core\n\n")
	fmt.Printf("%s. Command: `go -C internal/bench run ./codecs %s`. %d rounds, variants in turns, median "+
		"[interval of at least 95 %%]. Tools: %s.\n\n", sample.Machine(), strings.Join(os.Args[1:], " "), r.rounds, toolVersions())
	fmt.Printf("MB/s are decoded bytes for each second of processor time, user and system. The last column is the " +
		"processor time of thaw against that of the row, round by round: below 1, thaw needs less.\n\n")
	fmt.Println("| codec | data | written by | ratio | decoder | MB/s of a core | thaw's CPU against it |")
	fmt.Println("|---|---|---|---|---|---|---|")
	for _, name := range names {
		c, ok := codecByName(name)
		if !ok {
			return fmt.Errorf("no codec %q; known are %s", name, strings.Join(codecNames(), ", "))
		}
		for _, kind := range files {
			if err := r.compare(ctx, c, kind); err != nil {
				return err
			}
		}
	}
	fmt.Println()
	slices.Sort(r.verdicts)
	for _, v := range r.verdicts {
		fmt.Println("* " + v)
	}
	return nil
}

// compare measures all decoders of one codec on one kind of data.
func (r *run) compare(ctx context.Context, c contender, kind string) error {
	f, err := stage(r.dir, c, kind, r.size)
	if err != nil {
		return err
	}
	decoders := append([]string{"thaw"}, c.libraries()...)
	if t := c.tool; len(t) > 0 && installed(t[0]) {
		decoders = append(decoders, t[0])
	}
	var variants []string
	for _, d := range decoders {
		variants = append(variants, strings.Join([]string{c.name, kind, d}, "|"))
	}
	all, err := sample.Run(variants, r.rounds, func(n int) {
		fmt.Fprintf(os.Stderr, "\r%s of %s: round %d of %d ", c.name, kind, n+1, r.rounds)
	})
	fmt.Fprintln(os.Stderr)
	if err := cmp.Or(err, ctx.Err()); err != nil {
		return err
	}
	cpu := func(o sample.One) float64 { return o.CPU.Seconds() }
	thaw := all[variants[0]]
	for i, v := range variants {
		ones := all[v]
		for _, o := range ones {
			if want := f.decoded * int64(c.passes); o.Bytes != want {
				return fmt.Errorf("%s decoded %d bytes, want %d", v, o.Bytes, want)
			}
		}
		rate := sample.Median(sample.Each(ones, func(o sample.One) float64 { return float64(o.Bytes) / 1e6 / cpu(o) }))
		against := "1"
		if i > 0 {
			ratio := sample.Median(sample.Ratio(thaw, ones, cpu))
			against = fmt.Sprintf("%.2f [%.2f, %.2f]", ratio.Median, ratio.Low, ratio.High)
			r.judge(c, kind, decoders[i], ratio)
		}
		fmt.Printf("| %s | %s | %s | %.2f | %s | %.0f [%.0f, %.0f] | %s |\n", c.name, kind, f.writer,
			float64(f.decoded)/float64(f.stored), decoders[i], rate.Median, rate.Low, rate.High, against)
	}
	return nil
}

// judge notes a library that thaw is slower than, beyond the interval, and whether
// xz is three times as fast.
func (r *run) judge(c contender, kind, decoder string, ratio sample.Interval) {
	library := slices.Contains(c.libraries(), decoder)
	switch {
	case library && ratio.Low > 1:
		r.verdicts = append(r.verdicts, fmt.Sprintf("%s of %s: slower than %s, %.2f times its processor time", c.name, kind, decoder, ratio.Median))
	case c.name == "xz" && library && ratio.High > 1.0/3:
		r.verdicts = append(r.verdicts, fmt.Sprintf("xz of %s: not three times as fast as %s, beyond the interval", kind, decoder))
	}
}
