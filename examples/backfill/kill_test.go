//go:build unix

package main

import (
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

var kills = flag.Int("kills", 8, "how many processes TestKill kills")

// Killed with SIGKILL at random moments and started again, the job delivers every
// record, and each once when repeated ids are dropped. Each round kills up to three
// runs of one job, then lets one end.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("starts and kills processes")
	}
	bin := filepath.Join(t.TempDir(), "backfill")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	src, want := source(t, 12, 6000)
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 0))
	killed, saved, repeated, rounds := 0, 0, 0, 0
	for killed < *kills {
		dir := t.TempDir()
		output, manifest := filepath.Join(dir, "out"), filepath.Join(dir, "manifest")
		start := func(delay string) *exec.Cmd {
			cmd := exec.Command(bin, "-lanes=3", "-every=100ms", "-delay="+delay, src, output, manifest)
			cmd.Stderr = os.Stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			return cmd
		}
		for range min(3, *kills-killed) {
			before := modified(manifest)
			cmd := start("60ms")
			timer := time.AfterFunc(time.Duration(rng.IntN(1200))*time.Millisecond, func() { cmd.Process.Kill() })
			err := cmd.Wait()
			timer.Stop()
			var exit *exec.ExitError
			if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled() {
				killed++
				if !modified(manifest).Equal(before) {
					saved++
				}
				continue
			}
			if err != nil {
				t.Fatalf("run before a kill: %v", err)
			}
			break // it ended first
		}
		if err := start("0").Wait(); err != nil {
			t.Fatalf("last run: %v", err)
		}
		repeated += checkOutput(t, output, want)
		rounds++
		if t.Failed() {
			t.Fatalf("seed %d, round %d", seed, rounds)
		}
	}
	t.Logf("%d kills in %d jobs of %d records, %d of them after a save; %d records came twice", killed, rounds, len(want), saved, repeated)
	if 2*saved < killed {
		t.Errorf("got %d of %d kills after a save, want half at least", saved, killed)
	}
}

// modified is the time of the manifest, zero when there is none.
func modified(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
