// Command healing measures what faults cost: a backfill over a simulated link in
// which requests fail and stall, beside the same one without faults. Every record is
// checked, and the job must end complete.
//
//	sim  simstore over an in-process store
//	s3   thaw's S3 adaptor on a server on loopback, in another process
//
// It writes a Markdown table.
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
	"github.com/thaw-go/thaw/internal/testing/faultstore"
)

// job is what is measured, as the flags say.
type job struct {
	link    simstore.Link
	objects int
	bytes   int64 // of each
	lanes   int
	fail    float64 // share of requests
	stall   float64
	seed    uint64
	wait    time.Duration // until a request that gives nothing counts as failed
}

func main() {
	var j job
	rounds := flag.Int("rounds", 5, "measurements of each variant, taken in turns")
	spec := flag.String("link", "ttfb=30ms,conn=85MB/s,total=1GB/s", "the link")
	only := flag.String("only", "sim,s3", "stores to measure, by commas")
	flag.IntVar(&j.objects, "objects", 64, "objects")
	flag.Int64Var(&j.bytes, "bytes", 32<<20, "bytes of each, a multiple of 64")
	flag.IntVar(&j.lanes, "lanes", 16, "objects read at once")
	flag.Float64Var(&j.fail, "fail", 0.05, "share of requests that fail")
	flag.Float64Var(&j.stall, "stall", 0.01, "share of requests that stall")
	flag.DurationVar(&j.wait, "wait", 0, "how long a request may give nothing; 0 means blob's default")
	flag.Uint64Var(&j.seed, "seed", 1, "of the faults")
	flag.Parse()
	var err error
	if j.link, err = simstore.ParseLink(*spec); err == nil {
		sample.Child(j.measure)
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		err = j.run(ctx, strings.Split(*only, ","), *rounds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "healing:", err)
		os.Exit(1)
	}
}

// measure is one backfill: a store, with faults or without.
func (j *job) measure(name string) (sample.One, error) {
	ctx := context.Background()
	how, faults, _ := strings.Cut(name, " ")
	open := map[string]opener{"sim": j.simStore, "s3": j.s3Store}[how]
	if open == nil {
		return sample.One{}, fmt.Errorf("no store %q", how)
	}
	store, count, err := open(ctx, faults == faulty)
	if err != nil {
		return sample.One{}, err
	}
	defer store.Close()
	peak := sample.Heap()
	one, err := j.backfill(ctx, store)
	one.Peak = peak()
	one.Count = count()
	return one, err
}

// The two variants of a store.
const (
	clean  = "clean"
	faulty = "faulty"
)

func (j *job) run(ctx context.Context, stores []string, rounds int) error {
	var served *faultstore.Store // the one with faults
	for _, faults := range []bool{false, true} {
		served = j.objectStore(faults)
		server, err := faultstore.Serve(served, j.link)
		if err != nil {
			return err
		}
		defer server.Close()
		os.Setenv(serverURL(faults), server.URL)
	}
	fmt.Printf("# Healing: %d objects of %d MiB, %.1f %% of requests fail, %.1f %% stall\n\n",
		j.objects, j.bytes>>20, 100*j.fail, 100*j.stall)
	fmt.Printf("%s. Link: %s. Command: `go -C internal/bench run ./healing %s`. %d rounds, variants in turns, "+
		"median [interval of at least 95 %%]. Every job ended complete, with every record as it was made.\n\n",
		sample.Machine(), j.link, strings.Join(os.Args[1:], " "), rounds)
	fmt.Println("| store | wall clean, s | wall with faults, s | faults cost | CPU-s clean | CPU-s with faults | requests struck | peak live heap |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	for _, how := range stores {
		names := []string{how + " " + clean, how + " " + faulty}
		all, err := sample.Run(names, rounds, func(r int) {
			fmt.Fprintf(os.Stderr, "\r%s: round %d of %d ", how, r+1, rounds)
		})
		fmt.Fprintln(os.Stderr)
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		ok, bad := all[names[0]], all[names[1]]
		wall := func(o sample.One) float64 { return o.Wall.Seconds() }
		cpu := func(o sample.One) float64 { return o.CPU.Seconds() }
		var peak int64
		for _, o := range bad {
			peak = max(peak, o.Peak)
		}
		struck := sample.Median(sample.Each(bad, func(o sample.One) float64 { return float64(o.Count) })).Median
		if how == "s3" {
			c := served.Counts()
			struck = float64(c.Struck()) / float64(rounds)
		}
		fmt.Printf("| %s | %s | %s | %s | %s | %s | %.1f | %.1f MiB |\n", how,
			text(sample.Median(sample.Each(ok, wall)), 2), text(sample.Median(sample.Each(bad, wall)), 2),
			text(sample.Median(sample.Ratio(bad, ok, wall)), 2),
			text(sample.Median(sample.Each(ok, cpu)), 2), text(sample.Median(sample.Each(bad, cpu)), 2),
			struck, float64(peak)/(1<<20))
	}
	return nil
}

func text(i sample.Interval, digits int) string {
	return fmt.Sprintf("%.*f [%.*f, %.*f]", digits, i.Median, digits, i.Low, digits, i.High)
}
