//go:build unix

package main

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// SIGTERM at random moments ends a run once what it has read is written: over all runs
// of a job no record is repeated. A second signal ends a run within a second.
func TestTerminate(t *testing.T) {
	if testing.Short() {
		t.Skip("starts and signals processes")
	}
	bin := filepath.Join(t.TempDir(), "backfill")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	src, want := source(t, 12, 6000)
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	output, manifest := filepath.Join(dir, "out"), filepath.Join(dir, "manifest")
	start := func(delay string) *exec.Cmd {
		cmd := exec.Command(bin, "-lanes=3", "-every=1h", "-delay="+delay, src, output, manifest)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	drained := 0
	for range 8 {
		cmd := start("40ms")
		time.Sleep(time.Duration(150+rng.IntN(300)) * time.Millisecond) // what is tested is a moment of real time
		cmd.Process.Signal(syscall.SIGTERM)
		err := cmd.Wait()
		var exit *exec.ExitError
		switch {
		case err == nil: // it ended first
		case errors.As(err, &exit) && exit.ExitCode() == 1:
			drained++
		default:
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	if drained == 0 {
		t.Error("no run was drained")
	}
	if err := start("0").Wait(); err != nil {
		t.Fatalf("last run: %v", err)
	}
	if n := checkOutput(t, output, want); n > 0 {
		t.Errorf("seed %d: %d records came twice, want none", seed, n)
	}
	t.Logf("%d of 8 runs were drained", drained)

	if err := os.Remove(manifest); err != nil {
		t.Fatal(err)
	}
	cmd := start("1h")
	time.Sleep(300 * time.Millisecond)
	cmd.Process.Signal(syscall.SIGTERM)
	time.Sleep(400 * time.Millisecond)
	second := time.Now()
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
	if took := time.Since(second); took > 10*time.Second { // it hangs
		t.Errorf("a second signal: gone after %v, want at once", took)
	}
}
