//go:build unix

package kills_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/thaw-go/thaw/blob/simstore"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
)

var (
	killCount   = flag.Int("kills", 16, "how many processes are killed, over all variants")
	recordCount = flag.Int("records", 40_000, "records of a source")
	objectCount = flag.Int("objects", 200, "objects of a source")
	every       = flag.Duration("every", 0, "interval of the manifest; 0 means 100 ms, less for few records")
	seedFlag    = flag.Uint64("seed", 0, "of the moments; 0 means one of its own, which a failure prints")
)

// Killed at random moments and started again, a job delivers every record, each once
// when repeated ids are dropped, and leaves no gap in the indices of an object. Where
// the run ends before it is killed, the next kill strikes a new job.
func TestKills(t *testing.T) {
	if testing.Short() {
		t.Skip("starts and kills processes")
	}
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	interval := *every
	if interval == 0 {
		// As many saves in a run, whatever its length.
		interval = max(5*time.Millisecond, 100*time.Millisecond*time.Duration(*recordCount)/2_000_000)
	}
	stores := []struct{ manifest, below string }{{"file", "clean"}, {"file", "faults"}, {"blob", "clean"}, {"blob", "faults"}}
	each := (*killCount + len(stores)*len(kinds) - 1) / (len(stores) * len(kinds))
	for k, kind := range kinds {
		objects := makeObjects(t, k, *objectCount, *recordCount)
		for i, s := range stores {
			t.Run(kind.frame+", manifest in a "+s.manifest+", "+s.below, func(t *testing.T) {
				v := variant{objects: objects, seed: seed + uint64(len(stores)*k+i), first: run{Frame: kind.frame, Every: interval}}
				v.serve(t, s.manifest, s.below)
				v.test(t, each)
			})
		}
	}
}

// variant is one kind of source and manifest, under test.
type variant struct {
	objects []object
	first   run // but for what each run draws
	seed    uint64

	sums map[uint32][]uint64
}

// serve puts the objects and the manifest where a process can reach them.
func (v *variant) serve(t *testing.T, manifest, below string) {
	v.sums = map[uint32][]uint64{}
	for i, o := range v.objects {
		v.sums[uint32(i)] = o.sums
	}
	os.Setenv("AWS_ACCESS_KEY_ID", "a") // the server does not look
	os.Setenv("AWS_SECRET_ACCESS_KEY", "b")
	var opts faultstore.Options
	if below == "faults" {
		opts.Plan = faultstore.Random(v.seed, faultstore.Rates{
			faultstore.InternalError: 0.02, faultstore.SlowDown: 0.02, faultstore.Drop: 0.02, faultstore.Reset: 0.02, faultstore.Cut: 0.02,
		})
	}
	if manifest == "blob" || below == "faults" {
		store := faultstore.New(&opts)
		server, err := faultstore.Serve(store, simstore.Link{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(server.Close)
		at := func(prefix string) string {
			q := url.Values{"endpoint": {server.URL}, "region": {"us-east-1"}, "use_path_style": {"true"}, "prefix": {prefix}}
			return "s3://" + faultstore.Bucket + "?" + q.Encode()
		}
		if manifest == "blob" {
			v.first.State = at("state/")
		}
		if below == "faults" {
			for _, o := range v.objects {
				store.Add(faultstore.Item{Key: "data/" + o.key, Content: faultstore.Bytes(o.stored)})
			}
			v.first.Source = at("data/")
			return
		}
	}
	dir := t.TempDir()
	for _, o := range v.objects {
		if err := os.WriteFile(filepath.Join(dir, o.key), o.stored, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	v.first.Source = dir
}

// test kills runs until there were enough, and lets each job end.
func (v *variant) test(t *testing.T, kills int) {
	rng := rand.New(rand.NewPCG(v.seed, 0))
	length := 500 * time.Millisecond // of a run, about
	var jobs, killed, saved, repeated int
	for killed < kills {
		jobs++
		dir := t.TempDir()
		r := v.first
		r.Output, r.Manifest = filepath.Join(dir, "out"), filepath.Join(dir, "manifest")
		if r.State != "" {
			r.Manifest = fmt.Sprintf("%d.json", jobs)
		}
		r.Buffered = rng.IntN(2) == 0
		for range 8 { // kills of one job
			r.Seed = rng.Uint64()
			started := time.Now()
			wasKilled := runUntil(t, r, time.Duration(rng.Int64N(int64(length)+1)))
			if !wasKilled {
				length = (length + time.Since(started)) / 2
				break
			}
			if killed++; killed == kills {
				break
			}
		}
		if info, err := os.Stat(r.Output); err == nil && info.Size() > 0 {
			saved++
		}
		runUntil(t, r, -1)
		repeated += v.check(t, r.Output)
		if t.Failed() {
			t.Fatalf("job %d; -seed %d repeats the moments, as far as the machine does", jobs, v.seed)
		}
	}
	t.Logf("%d kills in %d jobs, %d of which had delivered records by then; %d records came twice", killed, jobs, saved, repeated)
	if saved == 0 && kills >= 5 {
		t.Errorf("no kill struck a job that had delivered records")
	}
}

// runUntil runs a process and kills it after a while, if that is not negative. It
// reports whether the process died of it.
func runUntil(t *testing.T, r run, while time.Duration) bool {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childJob+"="+string(text))
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if while >= 0 {
		timer := time.AfterFunc(while, func() { cmd.Process.Kill() })
		defer timer.Stop()
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled() {
		return true
	}
	if err != nil {
		t.Fatalf("a run failed: %v", err)
	}
	return false
}

// check holds an output to the objects, and returns how many records came again.
func (v *variant) check(t *testing.T, path string) (repeated int) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[uint32][]uint64{}  // by object and index
	owners := map[uint64]uint64{} // object and index, by id
	for ; len(data) >= rowSize; data = data[rowSize:] {
		r := rowAt(data)
		sums, seen := v.sums[r.object], ids[r.object]
		switch i := int(r.index); {
		case i >= len(sums) || sums[i] != r.sum:
			t.Fatalf("object %d: record %d is not as it was made", r.object, i)
		case i > len(seen):
			t.Fatalf("object %d: record %d comes after %d records, want no gap", r.object, i, len(seen))
		case i < len(seen):
			repeated++
			if seen[i] != r.id {
				t.Fatalf("object %d: record %d comes with two ids", r.object, i)
			}
			continue
		}
		ids[r.object] = append(seen, r.id)
		owner := uint64(r.object)<<32 | uint64(r.index)
		if other, ok := owners[r.id]; ok {
			t.Fatalf("records %x and %x have one id", other, owner)
		}
		owners[r.id] = owner
	}
	for i, sums := range v.sums {
		if got := len(ids[i]); got != len(sums) {
			t.Errorf("object %s: got %d records, want %d", v.objects[i].key, got, len(sums))
		}
	}
	return repeated
}
