package sinks_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/sinks"
)

// A job's objects of several batches each.
func several(n int) map[string][]byte {
	source := map[string][]byte{}
	for i := range n {
		source[fmt.Sprintf("dir %d/object %d", i%3, i)] = []byte(strings.Repeat(fmt.Sprintf("line of %d\n", i), 1+i*1500))
	}
	return source
}

const (
	childDir    = "THAW_SINKS_TEST_DIR"
	kills       = 25
	childObject = 40
)

// What a killed job has written is whole, and the one that continues it writes the rest.
func TestFilesSurviveKills(t *testing.T) {
	source := several(childObject)
	if dir := os.Getenv(childDir); dir != "" {
		run(t, source, sinks.Files(filepath.Join(dir, "out"), nil), &stream.Options{
			Lanes: 3, Checkpoint: stream.FileCheckpoint(filepath.Join(dir, "manifest")), CheckpointEvery: time.Millisecond})
		return
	}
	if testing.Short() {
		t.Skip("starts processes")
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "out"), 0o777); err != nil {
		t.Fatal(err)
	}
	killed := 0
	for i := 0; ; i++ {
		cmd := exec.Command(os.Args[0], "-test.run=^TestFilesSurviveKills$")
		cmd.Env = append(os.Environ(), childDir+"="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if i < kills {
			timer := time.AfterFunc(time.Duration(10+i*6)*time.Millisecond, func() { cmd.Process.Kill() })
			if err := cmd.Wait(); err != nil {
				killed++
			}
			timer.Stop()
		} else if err := cmd.Wait(); err != nil {
			t.Fatalf("the last run: %v", err)
		}
		got := files(t, filepath.Join(dir, "out"))
		for key, data := range got {
			if string(data) != string(source[key]) {
				t.Fatalf("after %d kills: %q has %d bytes, want %d", killed, key, len(data), len(source[key]))
			}
		}
		if i == kills {
			same(t, got, source)
			break
		}
	}
	if killed == 0 {
		t.Error("no run was killed")
	}
	if _, err := os.Stat(filepath.Join(dir, "out", ".thaw-drafts")); err == nil {
		t.Error("drafts are left")
	}
}

// A place that cannot be written ends the job, and leaves no draft.
func TestFilesFail(t *testing.T) {
	for _, tt := range []struct {
		why  string
		make func(dir string) error
	}{
		{"a folder has the name", func(dir string) error { return os.MkdirAll(filepath.Join(dir, "a.ndjson", "x"), 0o777) }},
		{"a file is where a folder goes", func(dir string) error { return os.WriteFile(filepath.Join(dir, "b"), nil, 0o666) }},
		{"a link leads out", func(dir string) error { return os.Symlink(filepath.Dir(dir), filepath.Join(dir, "b")) }},
	} {
		dir := filepath.Join(t.TempDir(), "out")
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := tt.make(dir); err != nil {
			t.Skip(err)
		}
		_, err := backfill(t, map[string][]byte{"a": []byte("x\n"), "b/c": []byte("x\n")}, sinks.Files(dir, nil), nil)
		if stream.ClassOf(err) != stream.ClassSinkFailed {
			t.Errorf("%s: got %v of class %v", tt.why, err, stream.ClassOf(err))
		}
		if _, err := os.Stat(filepath.Join(dir, ".thaw-drafts")); err == nil {
			t.Errorf("%s: drafts are left", tt.why)
		}
		if left, err := filepath.Glob(filepath.Join(filepath.Dir(dir), "*.ndjson")); err != nil || len(left) > 0 {
			t.Errorf("%s: %q is outside the folder", tt.why, left)
		}
	}
}

// An object that fails is not there, and what an earlier run wrote stays.
func TestFailedObjectStays(t *testing.T) {
	dir, to := t.TempDir(), blob.New(memstore.New(), nil)
	good := map[string][]byte{"a": []byte("1\n"), "b": []byte("2\n")}
	bad := map[string][]byte{"a": []byte("3\nx\n"), "b": []byte("4\n"), "c": []byte("5\nx\n")}
	want := map[string][]byte{"a": []byte("1\n"), "b": []byte("4\n")}
	for name, tt := range map[string]struct {
		sink func() stream.Sink
		got  func() map[string][]byte
	}{
		"files":   {func() stream.Sink { return sinks.Files(dir, check) }, func() map[string][]byte { return files(t, dir) }},
		"objects": {func() stream.Sink { return sinks.Objects(to, check) }, func() map[string][]byte { return objects(t, to) }},
	} {
		run(t, good, tt.sink(), nil)
		rep, err := backfill(t, bad, tt.sink(), &stream.Options{Lanes: 2, OnObjectError: stream.SkipClasses()})
		if err != nil || rep.Counts.Skipped.Objects != 2 {
			t.Errorf("%s: got %d objects left out, %v, want 2", name, rep.Counts.Skipped.Objects, err)
		}
		same(t, tt.got(), want)
	}
}

// failing is a store one of whose puts fails, before or after it has written.
type failing struct {
	driver.Driver
	at    int
	after bool
	puts  int
}

var errStore = errors.New("store fails")

func (f *failing) Put(ctx context.Context, key string, r io.Reader, size int64, cond driver.Condition) (string, error) {
	f.puts++
	if f.puts == f.at && !f.after {
		return "", errStore
	}
	version, err := f.Driver.Put(ctx, key, r, size, cond)
	if f.puts == f.at {
		return "", errStore
	}
	return version, err
}

// Whatever put fails ends the job, and the one that continues it writes the rest.
func TestObjectsContinue(t *testing.T) {
	source := several(6)
	for _, after := range []bool{false, true} {
		for at := range len(source) {
			mem := memstore.New()
			opts := &stream.Options{Lanes: 1, Checkpoint: stream.FileCheckpoint(filepath.Join(t.TempDir(), "manifest")), CheckpointEvery: time.Nanosecond}
			d := &failing{Driver: mem, at: at + 1, after: after}
			_, err := backfill(t, source, sinks.Objects(blob.New(d, &blob.Options{Retry: &blob.Retry{MaxAttempts: 1}}), nil), opts)
			if !errors.Is(err, errStore) || stream.ClassOf(err) != stream.ClassSinkFailed {
				t.Errorf("put %d fails: got %v of class %v", at, err, stream.ClassOf(err))
			}
			to := blob.New(mem, nil)
			run(t, source, sinks.Objects(to, nil), opts)
			same(t, objects(t, to), source)
		}
	}
}
