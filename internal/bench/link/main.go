// Command link compares ways to read over one simulated link: a large object, many
// small ones, and the wait for the first decoded byte of one.
//
//	s3store     thaw over its S3 adaptor
//	simstore    thaw over simstore, in the process
//	gocloud     gocloud.dev, a reader an object
//	manager     the AWS transfer manager in ranges, as it comes
//	manager-N   the same with N ranges at once and connections kept for them
//
// All but simstore read from one S3 server on loopback, in another process, whose
// bodies pass the link. It writes Markdown tables.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/thaw-go/thaw/blob/simstore"
	"github.com/thaw-go/thaw/internal/bench/sample"
)

// job is what is measured, as the flags say.
type job struct {
	link   simstore.Link
	size   int64 // of the large object
	small  int   // small objects
	bytes  int64 // of each
	lanes  int   // small objects read at once
	ranges int   // of the large object read at once by manager-N
	only   string
	cold   bool // measure the first pass of a process
}

func main() {
	var j job
	rounds := flag.Int("rounds", 10, "measurements of each variant, taken in turns")
	spec := flag.String("link", "ttfb=30ms,conn=85MB/s,total=1GB/s", "the link")
	parts := flag.String("parts", "large,small,first", "what to measure")
	flag.Int64Var(&j.size, "size", 2<<30, "bytes of the large object")
	flag.IntVar(&j.small, "small", 10_000, "small objects")
	flag.Int64Var(&j.bytes, "bytes", 64<<10, "bytes of a small object")
	flag.IntVar(&j.lanes, "lanes", 64, "small objects read at once")
	flag.IntVar(&j.ranges, "ranges", 16, "ranges that manager-N reads at once")
	flag.BoolVar(&j.cold, "cold", false, "measure the first pass of each process; without, pages of code and buffers are there")
	flag.StringVar(&j.only, "only", "", "variants to measure, by commas; empty means all")
	flag.Parse()
	var err error
	if j.link, err = simstore.ParseLink(*spec); err == nil {
		sample.Child(j.measure)
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		err = j.run(ctx, strings.Split(*parts, ","), *rounds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "link:", err)
		os.Exit(1)
	}
}

// measure is one measurement: a part and a variant, such as "large s3store".
func (j *job) measure(name string) (sample.One, error) {
	part, how, _ := strings.Cut(name, " ")
	ctx := context.Background()
	read := j.parts()[part].variants[how]
	if read == nil {
		return sample.One{}, fmt.Errorf("no such variant")
	}
	peak := sample.Heap()
	if !j.cold {
		if one, err := read(ctx, j.warm()); err != nil {
			return one, err
		}
	}
	one, err := read(ctx, j.measured())
	one.Peak = peak()
	return one, err
}

// clock begins when everything is opened.
type clock struct {
	start time.Time
	cpu   time.Duration
}

func begin() clock { return clock{time.Now(), sample.CPU()} }

func (c clock) end(one sample.One) sample.One {
	one.Wall = time.Since(c.start)
	one.CPU = sample.CPU() - c.cpu
	return one
}

// variant reads what a place holds; the other place is read before, to warm up.
type variant func(ctx context.Context, p place) (sample.One, error)

// part is a table of results.
type part struct {
	title    string
	order    []string
	variants map[string]variant

	ideal  time.Duration // what the link allows
	column string        // how the rate of a variant is given
	rate   func(sample.One) float64
	digits int
}

func (j *job) parts() map[string]part {
	return map[string]part{"large": j.largePart(), "small": j.smallPart(), "first": j.firstPart()}
}

func (j *job) run(ctx context.Context, parts []string, rounds int) error {
	server, err := j.serve()
	if err != nil {
		return err
	}
	defer server.Close()
	os.Setenv(serverURL, server.URL)
	fmt.Printf("# A simulated link: %s\n\n", j.link)
	fmt.Printf("%s. Command: `go -C internal/bench run ./link %s`. %d rounds, variants in turns, "+
		"median [interval of at least 95 %%]. The server is another process; processor time is the reader's.%s\n",
		sample.Machine(), strings.Join(os.Args[1:], " "), rounds, warmth(j.cold))
	for _, name := range parts {
		p, ok := j.parts()[name]
		if !ok {
			return fmt.Errorf("no part %q", name)
		}
		if err := p.run(ctx, name, j.only, rounds); err != nil {
			return err
		}
	}
	return nil
}

func warmth(cold bool) string {
	if cold {
		return " The first pass of each process."
	}
	return " Each process reads a part first, which is not measured."
}

func (p *part) run(ctx context.Context, name, only string, rounds int) error {
	var names []string
	for _, how := range p.order {
		if only == "" || strings.Contains(","+only+",", ","+how+",") {
			names = append(names, name+" "+how)
		}
	}
	if len(names) == 0 {
		return nil
	}
	all, err := sample.Run(names, rounds, func(r int) {
		fmt.Fprintf(os.Stderr, "\r%s: round %d of %d ", name, r+1, rounds)
	})
	fmt.Fprintln(os.Stderr)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	fmt.Printf("\n## %s\n\nThe link allows %v.\n\n", p.title, p.ideal.Round(100*time.Microsecond))
	fmt.Printf("| variant | %s | wall against the link's | CPU-s | peak live heap |\n|---|---|---|---|---|\n", p.column)
	for _, name := range names {
		ones := all[name]
		_, how, _ := strings.Cut(name, " ")
		rate := sample.Median(sample.Each(ones, p.rate))
		share := sample.Median(sample.Each(ones, func(o sample.One) float64 { return o.Wall.Seconds() / p.ideal.Seconds() }))
		cpu := sample.Median(sample.Each(ones, func(o sample.One) float64 { return o.CPU.Seconds() }))
		var peak int64
		for _, o := range ones {
			peak = max(peak, o.Peak)
		}
		fmt.Printf("| %s | %s | %s | %s | %.1f MiB |\n", how, text(rate, p.digits), text(share, 3), text(cpu, 2), float64(peak)/(1<<20))
	}
	return nil
}

func text(i sample.Interval, digits int) string {
	return fmt.Sprintf("%.*f [%.*f, %.*f]", digits, i.Median, digits, i.Low, digits, i.High)
}
