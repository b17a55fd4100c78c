// Command frames compares framers with what people use instead, on one core and
// on decoded memory:
//
//	lines, ndjson  bufio.Scanner, and a bare loop of bytes.IndexByte
//	csv            encoding/csv, with its record reused
//	json           a json.Decoder of RawMessage, which is reused
//
// Data is one slab of the pipeline, which it has in cache when it cuts records, and
// ends with a record. Each measurement goes over it for a while. A framer finds the
// ends of records; "body" also takes the bytes of each. It writes a Markdown table.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"time"

	"github.com/thaw-go/thaw/internal/bench/sample"
)

func main() {
	rounds := flag.Int("rounds", 12, "measurements of each variant, taken in turns")
	length := flag.Duration("for", 500*time.Millisecond, "how long one measurement goes on")
	only := flag.String("data", "", "measure only data whose name begins so")
	flag.Parse()
	sample.Child(func(variant string) (sample.One, error) {
		runtime.GOMAXPROCS(1)
		data, how, _ := strings.Cut(variant, "/")
		return measure(makers[data](), how, *length)
	})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *rounds, *length, *only); err != nil {
		fmt.Fprintln(os.Stderr, "frames:", err)
		os.Exit(1)
	}
}

// groups are variants of work on the same data. The first is what the others are
// compared with.
var groups = []struct {
	data     string
	variants []string
}{
	{"lines of 80 bytes", []string{"IndexByte", "bufio.Scanner", "lines", "lines body", "ndjson", "ndjson body"}},
	{"lines of 240 bytes", []string{"IndexByte", "bufio.Scanner", "lines", "lines body", "ndjson", "ndjson body"}},
	{"CSV, no quotes", []string{"encoding/csv", "csv", "csv body"}},
	{"CSV, some quotes", []string{"encoding/csv", "csv", "csv body"}},
	{"CSV, all quoted", []string{"encoding/csv", "csv", "csv body"}},
	{"CSV, short fields", []string{"encoding/csv", "csv", "csv body"}},
	{"CSV, quoted lines", []string{"encoding/csv", "csv", "csv body"}},
	{"JSON, log records", []string{"json.Decoder", "json", "json body"}},
	{"JSON, indented", []string{"json.Decoder", "json", "json body"}},
}

func run(ctx context.Context, rounds int, length time.Duration, only string) error {
	fmt.Printf("# Framers: %d KiB of decoded memory, one core\n\n", slab>>10)
	fmt.Printf("%s, GOMAXPROCS=1. Command: `go -C internal/bench run ./frames %s`. %d rounds of %v, variants in turns, "+
		"median [interval of at least 95 %%].\n\n", sample.Machine(), strings.Join(os.Args[1:], " "), rounds, length)
	fmt.Println("| data | variant | MB/s | M records/s | CPU-s a GB | speed against the first |")
	fmt.Println("|---|---|---|---|---|---|")
	for _, g := range groups {
		if !strings.HasPrefix(g.data, only) {
			continue
		}
		var names []string
		for _, how := range g.variants {
			names = append(names, g.data+"/"+how)
		}
		all, err := sample.Run(names, rounds, func(r int) {
			fmt.Fprintf(os.Stderr, "\r%s: round %d of %d ", g.data, r+1, rounds)
		})
		fmt.Fprintln(os.Stderr)
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		base := all[names[0]]
		for i, how := range g.variants {
			ones := all[names[i]]
			if got, want := ones[0].Records*base[0].Bytes, base[0].Records*ones[0].Bytes; got != want {
				return fmt.Errorf("%s: %d records in %d bytes, %s has %d in %d",
					names[i], ones[0].Records, ones[0].Bytes, g.variants[0], base[0].Records, base[0].Bytes)
			}
			rate := sample.Median(sample.Each(ones, func(o sample.One) float64 { return float64(o.Bytes) / o.Wall.Seconds() / 1e6 }))
			records := sample.Median(sample.Each(ones, func(o sample.One) float64 { return float64(o.Records) / o.Wall.Seconds() / 1e6 }))
			cpu := sample.Median(sample.Each(ones, func(o sample.One) float64 { return o.CPU.Seconds() / float64(o.Bytes) * 1e9 }))
			speed := sample.Median(sample.Ratio(ones, base, func(o sample.One) float64 { return float64(o.Bytes) / o.Wall.Seconds() }))
			fmt.Printf("| %s | %s | %s | %s | %s | %s |\n", g.data, how, text(rate, 0), text(records, 2), text(cpu, 3), text(speed, 2))
		}
	}
	return nil
}

func text(i sample.Interval, digits int) string {
	return fmt.Sprintf("%.*f [%.*f, %.*f]", digits, i.Median, digits, i.Low, digits, i.High)
}
