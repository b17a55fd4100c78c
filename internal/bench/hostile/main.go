// Command hostile shows that no object costs a reader much more than its bytes: it
// measures what objects made to be dear take of the processor, for each byte that
// is stored or comes out, against what decoding an ordinary object of the format
// takes.
//
//	go -C internal/bench run ./hostile > docs/results/hostile.md
//
// Each object is decoded, inspected, split and, where the codec has restart points,
// indexed; data for framers is cut into records. All are compared with the same
// figure: the time of decoding, or of framing, an ordinary object, because what
// only reads the few headers of one takes next to nothing. The exit status is 1 if
// something takes more than -bound times that.
package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/thaw-go/thaw/internal/bench/sample"
	"github.com/thaw-go/thaw/internal/testing/corpus/hostile"
)

func main() {
	size := flag.Int("size", 1<<20, "stored bytes of each object")
	bound := flag.Float64("bound", 50, "how many times as much a byte may take")
	only := flag.String("only", "", "measure only what has this in its name")
	flag.Parse()
	runtime.GOMAXPROCS(1)
	debug.SetMemoryLimit(2 << 30)
	fmt.Printf("# What hostile objects cost\n\n%s, GOMAXPROCS=1. Command: `go -C internal/bench run ./hostile %s`.\n\n",
		sample.Machine(), strings.Join(os.Args[1:], " "))
	fmt.Printf("Objects of %d KiB. ns/byte is processor time for each byte that is stored or comes out; the factor is that against "+
		"decoding (framing) an ordinary object of the format, which may be %.0f at most.\n\n", *size>>10, *bound)
	fmt.Println("| format | object | of it | ns/byte | factor |")
	fmt.Println("|---|---|---|---|---|")
	r := report{bound: *bound, only: *only}
	for _, o := range hostile.Objects() {
		r.object(o, *size)
	}
	for _, data := range hostile.AllRecords() {
		r.records(data, *size)
	}
	fmt.Printf("\n%d figures, the largest factor is %.1f.\n", r.figures, r.largest)
	if len(r.broken) > 0 {
		fmt.Printf("\nOver the bound: %s.\n", strings.Join(r.broken, "; "))
		os.Exit(1)
	}
}

// report prints figures as they come.
type report struct {
	bound   float64
	only    string
	figures int
	largest float64
	broken  []string
}

// row prints the cost of work, which returns how many bytes it went through, against
// that of an ordinary object.
func (r *report) row(format, object, what string, base float64, work func() (bytes int64)) {
	if !strings.Contains(format+": "+object+": "+what, r.only) {
		return
	}
	cost := measure(work)
	factor := cost / base
	if factor > r.bound {
		r.broken = append(r.broken, fmt.Sprintf("%s, %s, %s: %.1f", format, object, what, factor))
	}
	r.figures++
	r.largest = max(r.largest, factor)
	fmt.Printf("| %s | %s | %s | %.3f | %.1f |\n", format, object, what, cost, factor)
}

// measure is the nanoseconds of the processor that work takes for a byte: the least
// of a few runs, each long enough for the clock.
func measure(work func() (bytes int64)) float64 {
	best := math.Inf(1)
	for range 3 {
		began, bytes, took := sample.CPU(), int64(0), time.Duration(0)
		for took < 20*time.Millisecond {
			bytes += work()
			took = sample.CPU() - began
		}
		best = min(best, float64(took.Nanoseconds())/float64(bytes))
		if took > time.Second {
			break
		}
	}
	return best
}
