package stream_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/thaw-go/thaw/stream"
)

// manifestOf makes a manifest that tells n, with text to make it longer.
func manifestOf(n int, text string) []byte {
	data, err := (&stream.Manifest{Ordinal: int64(n), Key: text}).Encode()
	if err != nil {
		panic(err)
	}
	return data
}

// ordinalOf reads it back; 0 stands for no manifest.
func ordinalOf(t *testing.T, data []byte) int {
	t.Helper()
	if data == nil {
		return 0
	}
	m, err := stream.ParseManifest(data)
	if err != nil {
		t.Fatalf("loaded %q: %v", data, err)
	}
	return int(m.Ordinal)
}

func mustLoad(t *testing.T, c stream.Checkpoint) int {
	t.Helper()
	data, err := c.Load(context.Background())
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return ordinalOf(t, data)
}

func mustSave(t *testing.T, c stream.Checkpoint, n int) {
	t.Helper()
	if err := c.Save(context.Background(), manifestOf(n, "")); err != nil {
		t.Fatalf("Save %d: %v", n, err)
	}
}

func mustClose(t *testing.T, c stream.Checkpoint) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
}

func TestFileCheckpointKeeps(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "deep", "er", "m.json")
	c := stream.FileCheckpoint(path)
	for n := range 3 { // the value serves one job after another
		if got := mustLoad(t, c); got != 10*n {
			t.Errorf("run %d: loaded %d, want %d", n, got, 10*n)
		}
		mustSave(t, c, 10*n+5)
		mustSave(t, c, 10*n+10)
		mustClose(t, c)
	}
	names, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	if want := []string{path, path + ".lock"}; err != nil || fmt.Sprint(names) != fmt.Sprint(want) {
		t.Errorf("files %q, %v, want %q", names, err, want)
	}
}

func TestFileCheckpointGivesBytesAsTheyAre(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m.json")
	want := []byte("any bytes \x00\xff  \n \n")
	c := stream.FileCheckpoint(path)
	mustLoad(t, c)
	if err := c.Save(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	mustClose(t, c)
	got, err := c.Load(t.Context())
	defer c.Close()
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestFileCheckpointOneOwner(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m.json")
	first, second := stream.FileCheckpoint(path), stream.FileCheckpoint(path)
	mustLoad(t, first)
	mustSave(t, first, 1)

	_, err := second.Load(t.Context())
	if !errors.Is(err, stream.ErrOwner) || stream.ClassOf(err) != stream.ClassConflict {
		t.Fatalf("second Load: got %v, want ErrOwner", err)
	}
	if at := pathIn(err); at != path+".lock" {
		t.Errorf("%v names the file %q, want the lock", err, at)
	}
	if err := second.Save(t.Context(), nil); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Save without ownership: got %v, want fs.ErrClosed", err)
	}
	mustClose(t, second)
	mustSave(t, first, 2)
	mustClose(t, first)
	if err := first.Save(t.Context(), nil); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Save after Close: got %v, want fs.ErrClosed", err)
	}
	if got := mustLoad(t, second); got != 2 {
		t.Errorf("loaded %d, want 2", got)
	}
	mustClose(t, second)
}

// TestFileCheckpointSharedValue holds that the second job's Close does not take
// ownership from the first.
func TestFileCheckpointSharedValue(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m.json")
	c := stream.FileCheckpoint(path)
	mustLoad(t, c)
	if _, err := c.Load(t.Context()); !errors.Is(err, stream.ErrOwner) {
		t.Errorf("second Load: got %v, want ErrOwner", err)
	}
	mustClose(t, c)
	mustSave(t, c, 1)
	if _, err := stream.FileCheckpoint(path).Load(t.Context()); !errors.Is(err, stream.ErrOwner) {
		t.Errorf("Load of another: got %v, want ErrOwner", err)
	}
	mustClose(t, c)
	other := stream.FileCheckpoint(path)
	if got := mustLoad(t, other); got != 1 {
		t.Errorf("loaded %d, want 1", got)
	}
	mustClose(t, other)
}

func TestFileCheckpointOneOfManyWins(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "m.json")
	errs := make([]error, 16)
	all := make([]stream.Checkpoint, len(errs))
	var wg sync.WaitGroup
	for i := range all {
		all[i] = stream.FileCheckpoint(path)
		wg.Go(func() { _, errs[i] = all[i].Load(context.Background()) })
	}
	wg.Wait()
	won := 0
	for i, err := range errs {
		if err == nil {
			won++
			mustSave(t, all[i], i+1)
		} else if !errors.Is(err, stream.ErrOwner) {
			t.Errorf("Load: got %v, want ErrOwner", err)
		}
	}
	if won != 1 {
		t.Errorf("%d owners, want 1", won)
	}
	for _, c := range all {
		mustClose(t, c)
	}
}

// TestFileCheckpointLeftOvers starts from what a killed run leaves.
func TestFileCheckpointLeftOvers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m.json")
	c := stream.FileCheckpoint(path)
	mustLoad(t, c)
	mustSave(t, c, 1)
	mustClose(t, c)
	if err := os.WriteFile(path+".tmp", []byte(`{"format":1,"ordi`), 0o400); err != nil {
		t.Fatal(err)
	}
	if got := mustLoad(t, c); got != 1 {
		t.Errorf("loaded %d, want 1", got)
	}
	mustSave(t, c, 2)
	mustClose(t, c)
	if got := mustLoad(t, c); got != 2 {
		t.Errorf("loaded %d, want 2", got)
	}
	mustClose(t, c)
	if _, err := os.Stat(path + ".tmp"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the temporary file is left: %v", err)
	}
}

// TestFileCheckpointFailedSave lets each step of Save fail that can be made to.
func TestFileCheckpointFailedSave(t *testing.T) {
	t.Parallel()
	block := func(path string) error { // a folder that is not empty cannot be removed
		return os.MkdirAll(filepath.Join(path, "x"), 0o777)
	}
	cases := []struct {
		name    string
		spoil   func(path string) error
		restore func(path string) error
	}{
		{
			"the temporary file cannot be made",
			func(path string) error { return block(path + ".tmp") },
			func(path string) error { return os.RemoveAll(path + ".tmp") },
		},
		{
			"the temporary file cannot be renamed",
			func(path string) error { return errors.Join(os.Rename(path, path+".aside"), block(path)) },
			func(path string) error { return errors.Join(os.RemoveAll(path), os.Rename(path+".aside", path)) },
		},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "m.json")
			c := stream.FileCheckpoint(path)
			mustLoad(t, c)
			mustSave(t, c, 1)
			if err := tc.spoil(path); err != nil {
				t.Fatal(err)
			}
			if err := c.Save(t.Context(), manifestOf(2, "")); err == nil || errors.Is(err, stream.ErrOwner) {
				t.Errorf("Save: got %v, want an error that is not ErrOwner", err)
			}
			if err := tc.restore(path); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(path); err != nil || ordinalOf(t, got) != 1 {
				t.Errorf("file is %q, %v, want the manifest before", got, err)
			}
			mustSave(t, c, 3)
			mustClose(t, c)
			if _, err := os.Stat(path + ".tmp"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the temporary file is left: %v", err)
			}
		})
	}
}

func TestFileCheckpointCanceled(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	path := filepath.Join(t.TempDir(), "m.json")
	c := stream.FileCheckpoint(path)
	if _, err := c.Load(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("Load: got %v, want context.Canceled", err)
	}
	mustClose(t, c)
	mustLoad(t, c)
	defer c.Close()
	mustSave(t, c, 1)
	if err := c.Save(ended, manifestOf(2, "")); !errors.Is(err, context.Canceled) {
		t.Errorf("Save: got %v, want context.Canceled", err)
	}
	if got, err := os.ReadFile(path); err != nil || ordinalOf(t, got) != 1 {
		t.Errorf("file is %q, %v, want the manifest before", got, err)
	}
}

// TestFileCheckpointLockRemoved takes the name of the lock file away, by which a
// second run can lock another file.
func TestFileCheckpointLockRemoved(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a locked file cannot be removed")
	}
	path := filepath.Join(t.TempDir(), "m.json")
	older, newer := stream.FileCheckpoint(path), stream.FileCheckpoint(path)
	mustLoad(t, older)
	defer older.Close()
	mustSave(t, older, 1)
	if err := os.Remove(path + ".lock"); err != nil {
		t.Fatal(err)
	}
	if err := older.Save(t.Context(), manifestOf(2, "")); !errors.Is(err, stream.ErrOwner) {
		t.Errorf("Save without lock file: got %v, want ErrOwner", err)
	}
	if got := mustLoad(t, newer); got != 1 {
		t.Errorf("loaded %d, want 1", got)
	}
	defer newer.Close()
	mustSave(t, newer, 3)
	if err := older.Save(t.Context(), manifestOf(4, "")); !errors.Is(err, stream.ErrOwner) {
		t.Errorf("Save with another's lock file: got %v, want ErrOwner", err)
	}
}

func TestFileCheckpointPaths(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		why, path string
		want      error // nil: of the system
	}{
		{"an empty path is a mistake", "", fs.ErrInvalid},
		{"a folder cannot be replaced", dir, fs.ErrInvalid},
		{"a file cannot hold files", filepath.Join(file, "m.json"), nil},
	}
	for _, tc := range cases {
		c := stream.FileCheckpoint(tc.path)
		if _, err := c.Load(t.Context()); err == nil || !strings.HasPrefix(pathIn(err), tc.path) && !strings.HasPrefix(tc.path, pathIn(err)) || tc.want != nil && !errors.Is(err, tc.want) {
			t.Errorf("%s: Load %q gave %v of %q, want %v of the path", tc.why, tc.path, err, pathIn(err), tc.want)
		}
		mustClose(t, c)
	}
}

func TestFileCheckpointSymlink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, link := filepath.Join(dir, "m.json"), filepath.Join(dir, "link.json")
	if err := os.Symlink("m.json", link); err != nil {
		if runtime.GOOS == "windows" {
			t.Skip("links want a privilege there: ", err)
		}
		t.Fatal(err)
	}
	c := stream.FileCheckpoint(link)
	if _, err := c.Load(t.Context()); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("a link that leads nowhere: got %v, want fs.ErrInvalid", err)
	}
	mustClose(t, c)
	if err := os.WriteFile(path, manifestOf(1, ""), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := mustLoad(t, c); got != 1 {
		t.Errorf("loaded %d, want 1", got)
	}
	if _, err := stream.FileCheckpoint(path).Load(t.Context()); !errors.Is(err, stream.ErrOwner) {
		t.Errorf("the same file by its own name: got %v, want ErrOwner", err)
	}
	mustSave(t, c, 2)
	mustClose(t, c)
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v, want it as it was", info, err)
	}
	info, err = os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("permissions %v, %v, want those of the file before", info.Mode(), err)
	}
}

// TestFileCheckpointChild is the second process of the tests below.
func TestFileCheckpointChild(t *testing.T) {
	path := os.Getenv("THAW_TEST_CHECKPOINT")
	if path == "" {
		t.Skip("runs as a child of other tests")
	}
	c := stream.FileCheckpoint(path)
	n := mustLoad(t, c)
	fmt.Println("owner")
	if os.Getenv("THAW_TEST_SAVES") == "" {
		io.Copy(io.Discard, os.Stdin)
		mustClose(t, c)
		return
	}
	text := strings.Repeat("x", 100_000)
	for {
		n++
		if err := c.Save(t.Context(), manifestOf(n, text)); err != nil {
			t.Fatal(err)
		}
		fmt.Println(n)
	}
}

// child starts TestFileCheckpointChild and waits until it owns the manifest.
func child(t *testing.T, path string, env ...string) (cmd *exec.Cmd, in io.Closer, out *bufio.Scanner) {
	t.Helper()
	cmd = exec.Command(os.Args[0], "-test.run=^TestFileCheckpointChild$", "-test.v=false", "-test.timeout=60s")
	cmd.Env = append(os.Environ(), append(env, "THAW_TEST_CHECKPOINT="+path)...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	out = bufio.NewScanner(stdout)
	if !out.Scan() || out.Text() != "owner" {
		t.Fatalf("child said %q, %v, want owner", out.Text(), out.Err())
	}
	return cmd, in, out
}

func TestFileCheckpointOtherProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m.json")
	for _, how := range []string{"end", "kill"} {
		cmd, in, _ := child(t, path)
		c := stream.FileCheckpoint(path)
		_, err := c.Load(t.Context())
		if !errors.Is(err, stream.ErrOwner) || !strings.Contains(err.Error(), strconv.Itoa(cmd.Process.Pid)) {
			t.Errorf("Load beside process %d: got %v, want ErrOwner that names it", cmd.Process.Pid, err)
		}
		mustClose(t, c)
		if how == "kill" {
			cmd.Process.Kill()
		}
		in.Close()
		cmd.Wait()
		mustLoad(t, c)
		mustClose(t, c)
	}
}

// TestFileCheckpointKilled kills a process that saves all the time.
func TestFileCheckpointKilled(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m.json")
	for round := range 8 {
		cmd, _, out := child(t, path, "THAW_TEST_SAVES=1")
		saved := 0
		for range 1 + round {
			if !out.Scan() {
				t.Fatalf("child ended: %v", out.Err())
			}
			saved, _ = strconv.Atoi(out.Text())
		}
		cmd.Process.Kill()
		for out.Scan() { // what it said before it died
			if n, err := strconv.Atoi(out.Text()); err == nil {
				saved = n
			}
		}
		cmd.Wait()
		c := stream.FileCheckpoint(path)
		if got := mustLoad(t, c); got != saved && got != saved+1 {
			t.Errorf("loaded %d, want %d or the one that was being saved", got, saved)
		}
		mustClose(t, c)
	}
}

// A path may be mistyped: a job names the file that is no manifest, and leaves it
// as it is.
func TestFileCheckpointOfAnotherFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(path, []byte("groceries"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := store(t, map[string][]byte{"a": []byte("one\n")})
	_, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(newCollector().write), &stream.Options{Checkpoint: stream.FileCheckpoint(path)})
	if !errors.Is(err, stream.ErrManifest) || stream.ClassOf(err) != stream.ClassCorrupt || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want ErrManifest of class corrupt with the path", err)
	}
	if got, _ := os.ReadFile(path); string(got) != "groceries" {
		t.Errorf("the file now holds %q", got)
	}
}

// pathIn is the file that an error names.
func pathIn(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Path
	}
	return ""
}
