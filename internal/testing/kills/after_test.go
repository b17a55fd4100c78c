//go:build unix

package kills_test

import (
	"bytes"
	"context"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/filestore"
	"github.com/thaw-go/thaw/stream"
)

var afterKills = flag.Int("afterkills", 25, "how many processes that delete or move objects are killed")

// A process that is killed at any moment has deleted or moved only objects whose records
// are in the output and which its manifest calls done; and the runs together do so with
// every object.
func TestAfterKills(t *testing.T) {
	if testing.Short() {
		t.Skip("starts and kills processes")
	}
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	rng := rand.New(rand.NewPCG(seed, 3))
	objects := makeObjects(t, 0, *objectCount, *recordCount/2)
	v := variant{objects: objects, sums: map[uint32][]uint64{}}
	all := t.TempDir()
	for i, o := range objects {
		v.sums[uint32(i)] = o.sums
		if err := os.WriteFile(filepath.Join(all, o.key), o.stored, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	length := 400 * time.Millisecond // of a run, about
	var jobs, killed, struck, gone int
	for killed < *afterKills {
		jobs++
		dir := t.TempDir()
		c := afterKill{objects: objects, source: filepath.Join(dir, "source"), moved: filepath.Join(dir, "moved"), run: run{
			Source: filepath.Join(dir, "source"), Manifest: filepath.Join(dir, "manifest"), Output: filepath.Join(dir, "out"),
			Frame: "lines", Every: 5 * time.Millisecond, Buffered: rng.IntN(2) == 0, After: "delete",
		}}
		if rng.IntN(2) == 0 {
			c.run.After = "file://" + c.moved + "?create=true"
		}
		if rng.IntN(2) == 0 {
			c.run.State, c.run.Manifest = "file://"+filepath.Join(dir, "state")+"?create=true", "m"
		}
		if err := os.Mkdir(c.source, 0o777); err != nil {
			t.Fatal(err)
		}
		for _, o := range objects {
			if err := os.Link(filepath.Join(all, o.key), filepath.Join(c.source, o.key)); err != nil {
				t.Fatal(err)
			}
		}
		for killed < *afterKills {
			c.run.Seed = rng.Uint64()
			started := time.Now()
			if !runUntil(t, c.run, time.Duration(rng.Int64N(int64(length)+1))) {
				length = (length + time.Since(started)) / 2
				break
			}
			killed++
			n := c.check(t)
			if gone += n; n > 0 && n < len(objects) {
				struck++
			}
		}
		runUntil(t, c.run, -1)
		if n := c.check(t); n != len(objects) {
			t.Errorf("%d objects are left", len(objects)-n)
		}
		v.check(t, c.run.Output)
		if t.Failed() {
			t.Fatalf("job %d, %s; -seed %d repeats the moments, as far as the machine does", jobs, c.run.After, seed)
		}
	}
	t.Logf("%d kills in %d jobs; %d struck a job that had acted upon some objects and not all", killed, jobs, struck)
	if struck == 0 && killed >= 5 {
		t.Errorf("no kill struck a job that was acting")
	}
}

// afterKill is a job that acts upon objects, and is killed.
type afterKill struct {
	run
	objects       []object
	source, moved string
}

// check returns how many objects are no longer in the source. The records of each must be
// in the output, the manifest must call it done, and a move must have its bytes.
func (c *afterKill) check(t *testing.T) (gone int) {
	t.Helper()
	var m *stream.Manifest
	seen := map[uint32]map[uint32]bool{}
	for i, o := range c.objects {
		if _, err := os.Lstat(filepath.Join(c.source, o.key)); err == nil {
			continue
		}
		if gone++; m == nil {
			m, seen = c.manifest(t), c.output(t)
		}
		if n := len(seen[uint32(i)]); n != len(o.sums) {
			t.Errorf("%s is gone, and %d of its %d records are in the output", o.key, n, len(o.sums))
		}
		if o.key > m.Key || slices.ContainsFunc(m.Open, func(e stream.ManifestEntry) bool { return e.Key == o.key }) {
			t.Errorf("%s is gone, and not done by the manifest", o.key)
		}
		if c.After == "delete" {
			continue
		}
		if data, err := os.ReadFile(filepath.Join(c.moved, "moved-"+o.key)); err != nil || !bytes.Equal(data, o.stored) {
			t.Errorf("%s was moved as %d bytes and %v, want its %d", o.key, len(data), err, len(o.stored))
		}
	}
	return gone
}

// manifest is what was saved last.
func (c *afterKill) manifest(t *testing.T) *stream.Manifest {
	t.Helper()
	dir, key := filepath.Split(c.Manifest)
	if c.State != "" {
		dir, key = filepath.Join(filepath.Dir(c.Output), "state"), c.Manifest
	}
	files, err := filestore.New(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := stream.ReadManifest(context.Background(), blob.New(files, nil), key)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// output returns the indices of each object's records in the output.
func (c *afterKill) output(t *testing.T) map[uint32]map[uint32]bool {
	t.Helper()
	data, err := os.ReadFile(c.Output)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[uint32]map[uint32]bool{}
	for ; len(data) >= rowSize; data = data[rowSize:] {
		r := rowAt(data)
		if seen[r.object] == nil {
			seen[r.object] = map[uint32]bool{}
		}
		seen[r.object][r.index] = true
	}
	return seen
}
