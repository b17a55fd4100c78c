package stress_test

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/thaw-go/thaw/internal/testing/leak"
	"github.com/thaw-go/thaw/stream/internal/ahead"
)

var (
	schedules = flag.Int("schedules", 0, "how many schedules to run; 0: a few seconds of them")
	firstSeed = flag.Uint64("seed", 1, "the seed of the first schedule")
	only      = flag.String("objects", "", "numbers of the objects to keep, by commas; empty: all")
	without   = flag.String("without", "", "names of what to leave out of the schedules, by commas: see plainer")
	shrink    = flag.Bool("shrink", true, "look for a smaller schedule that fails")
)

func TestMain(m *testing.M) {
	ahead.Least.Object, ahead.Least.Stored, ahead.Least.Decoded, ahead.Least.Fast = 1, 1, 1, true // objects are small here
	leak.Main(m)
}

// TestStress runs schedules, as many at once as there are processors.
func TestStress(t *testing.T) {
	count := int64(*schedules)
	if count == 0 {
		if count = few; testing.Short() {
			count /= 5
		}
	}
	const most = 5 // failures that are told
	var next, failed atomic.Int64
	for w := range runtime.GOMAXPROCS(0) {
		t.Run(fmt.Sprint("worker ", w), func(t *testing.T) {
			t.Parallel()
			for failed.Load() < most {
				n := next.Add(1) - 1
				if n >= count {
					return
				}
				seed := *firstSeed + uint64(n)
				if !t.Run(fmt.Sprint(seed), func(t *testing.T) { one(t, seed) }) {
					failed.Add(1)
				}
			}
		})
	}
}

// one runs the schedule of a seed. What is wrong is told with the command that
// repeats it.
func one(t *testing.T, seed uint64) {
	p := plan{seed: seed, without: list(*without)}
	for _, n := range list(*only) {
		p.objects = append(p.objects, must(strconv.Atoi(n)))
	}
	wrong := p.run(t)
	if len(wrong) == 0 {
		return
	}
	t.Errorf("%s\n\n%v\n%s", strings.Join(wrong, "\n"), p.schedule(), p.command())
	if *shrink {
		if q := p.shrink(t); len(q.objects) > 0 {
			t.Logf("smaller: %s\n\n%v\n%s", strings.Join(q.run(t), "\n"), q.schedule(), q.command())
		}
	}
}

func list(flag string) []string {
	return slices.DeleteFunc(strings.Split(flag, ","), func(s string) bool { return s == "" })
}

// plan is a schedule of which something may be left out.
type plan struct {
	seed    uint64
	objects []int // kept; nil: all
	without []string
}

func (p *plan) schedule() *schedule {
	s := draw(p.seed)
	if p.objects != nil {
		s.objects = slices.DeleteFunc(s.objects, func(o *object) bool { return !slices.Contains(p.objects, o.n) })
	}
	for name, change := range plainer {
		if unmended[name] || slices.Contains(p.without, name) {
			change(s)
		}
	}
	return s
}

// mostReal is how long a schedule may take. What needs longer hangs where virtual
// time does not pass: in a lock, or in a loop.
const mostReal = 2 * time.Minute

func (p *plan) run(t *testing.T) []string {
	defer time.AfterFunc(mostReal, func() {
		fmt.Fprintf(os.Stderr, "FAIL: still running after %v\n\n%v\n%s\n\n", mostReal, p.schedule(), p.command())
		pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
		os.Exit(1)
	}).Stop()
	return play(t, p.schedule())
}

func (p *plan) command() string {
	c := fmt.Sprintf("go test ./stream/internal/stress -run '^TestStress$' -schedules 1 -seed %d", p.seed)
	if p.objects != nil {
		c += " -objects " + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(p.objects)), ","), "[]")
	}
	if len(p.without) > 0 {
		c += " -without " + strings.Join(p.without, ",")
	}
	return c
}

// fails says that it does within a few tries.
func (p *plan) fails(t *testing.T) bool {
	for range 3 {
		if len(p.run(t)) > 0 {
			return true
		}
	}
	return false
}

// shrink leaves out one thing after the other while it still fails.
func (p *plan) shrink(t *testing.T) *plan {
	best := *p
	if best.objects == nil {
		for _, o := range best.schedule().objects {
			best.objects = append(best.objects, o.n)
		}
	}
	try := func(q plan) bool {
		ok := q.fails(t)
		if ok {
			best = q
		}
		return ok
	}
	for step := (len(best.objects) + 1) / 2; step > 0; step /= 2 {
		for i := 0; i+step <= len(best.objects) && len(best.objects) > step; {
			q := best
			q.objects = slices.Delete(slices.Clone(best.objects), i, i+step)
			if !try(q) {
				i += step
			}
		}
	}
	for _, name := range plainNames() {
		if !slices.Contains(best.without, name) {
			q := best
			q.without = append(slices.Clone(best.without), name)
			try(q)
		}
	}
	return &best
}
