// Package sample runs variants of a measurement in turns, each in a child process,
// and sums them up.
package sample

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// One is one measurement.
type One struct {
	Wall    time.Duration // as the child measured it
	CPU     time.Duration // user and system, of the whole child
	User    time.Duration // of what was measured, as the child measured it; 0 if it did not
	Records int64
	Bytes   int64
	Peak    int64 // live heap in bytes at its peak, where the child looked
	Count   int64 // of what else a comparison counts
}

// Child runs f if this process was started by Run, prints what it measured, and
// exits. It returns in the parent.
func Child(f func(variant string) (One, error)) {
	variant, ok := os.LookupEnv("THAW_BENCH_VARIANT")
	if !ok {
		return
	}
	one, err := f(variant)
	if err != nil {
		fmt.Fprintln(os.Stderr, variant+":", err)
		os.Exit(1)
	}
	json.NewEncoder(os.Stdout).Encode(one)
	os.Exit(0)
}

// Run measures each variant rounds times, in turns.
func Run(variants []string, rounds int, progress func(round int)) (map[string][]One, error) {
	all := map[string][]One{}
	for r := range rounds {
		progress(r)
		for i := range variants {
			v := variants[(i+r)%len(variants)]
			one, err := child(v)
			if err != nil {
				return nil, err
			}
			all[v] = append(all[v], one)
		}
	}
	return all, nil
}

func child(variant string) (One, error) {
	cmd := exec.Command(os.Args[0], os.Args[1:]...)
	cmd.Env = append(os.Environ(), "THAW_BENCH_VARIANT="+variant)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return One{}, fmt.Errorf("%s: %w", variant, err)
	}
	var one One
	if err := json.Unmarshal(out, &one); err != nil {
		return One{}, fmt.Errorf("%s: %w", variant, err)
	}
	if ru, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok && one.CPU == 0 {
		one.CPU = time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
	}
	return one, nil
}

// CPU is the processor time of this process so far, user and system. A child that
// measures only a part of its work sets One.CPU by it; else it is the whole child's.
func CPU() time.Duration {
	var ru syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &ru) != nil {
		return 0
	}
	return time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
}

// Interval is a median with bounds.
type Interval struct{ Low, Median, High float64 }

// Median is the median of v with the narrowest pair of order statistics that
// holds the true median with at least 95 %: no distribution is assumed.
func Median(v []float64) Interval {
	v = slices.Clone(v)
	slices.Sort(v)
	n := len(v)
	k := 0 // v[k] and v[n-1-k] are the bounds
	for p := 0.0; k < n/2; k++ {
		p += binomial(n, k) / math.Pow(2, float64(n))
		if 2*p > 0.05 {
			break
		}
	}
	k = max(k-1, 0)
	return Interval{v[k], (v[(n-1)/2] + v[n/2]) / 2, v[n-1-k]}
}

func binomial(n, k int) float64 {
	c := 1.0
	for i := range k {
		c = c * float64(n-i) / float64(i+1)
	}
	return c
}

// Each maps measurements to figures.
func Each(ones []One, f func(One) float64) []float64 {
	var out []float64
	for _, o := range ones {
		out = append(out, f(o))
	}
	return out
}

// Ratio pairs the rounds of a and b.
func Ratio(a, b []One, f func(One) float64) []float64 {
	var out []float64
	for i := range a {
		out = append(out, f(a[i])/f(b[i]))
	}
	return out
}

// Machine says what the figures were measured on.
func Machine() string {
	model := runtime.GOARCH
	if data, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(data)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	return fmt.Sprintf("%s, %d cores, %s, %s", model, runtime.NumCPU(), runtime.GOOS, runtime.Version())
}
