package filestore_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/filestore"
)

// folder makes a folder of small files and a driver of it.
func folder(t *testing.T, names ...string) (string, *filestore.Driver) {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, names...)
	d, err := filestore.New(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return dir, d
}

func write(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// list gives the keys of a listing and its error.
func list(d driver.Driver, prefix, after string) (keys []string, err error) {
	for obj, err := range d.List(context.Background(), prefix, after) {
		if err != nil {
			return keys, err
		}
		keys = append(keys, obj.Key)
	}
	return keys, nil
}

// A random tree lists like its sorted keys, for random prefixes and places to
// begin at.
func TestListProperty(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 6))
	name := func() string {
		b := make([]byte, 1+rnd.IntN(2))
		for i := range b {
			b[i] = "ab-.0~\xff!"[rnd.IntN(8)]
		}
		if s := string(b); s != "." && s != ".." {
			return s
		}
		return "a"
	}
	for range 8 {
		dir, d := folder(t)
		var want []string
		for range 60 {
			elems := make([]string, 1+rnd.IntN(4))
			for i := range elems {
				elems[i] = name()
			}
			key := strings.Join(elems, "/")
			path := filepath.Join(dir, key)
			if os.MkdirAll(filepath.Dir(path), 0o777) != nil {
				continue // a file is in the way
			}
			f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o666)
			if err != nil {
				continue // it is there, or a directory
			}
			f.Close()
			want = append(want, key)
		}
		slices.Sort(want)
		for range 60 {
			prefix, after := "", ""
			if rnd.IntN(3) > 0 {
				prefix = want[rnd.IntN(len(want))]
				prefix = prefix[:rnd.IntN(len(prefix)+1)]
			}
			if rnd.IntN(3) > 0 {
				after = want[rnd.IntN(len(want))]
				after = after[:rnd.IntN(len(after)+1)]
			}
			var some []string
			for _, key := range want {
				if strings.HasPrefix(key, prefix) && key > after {
					some = append(some, key)
				}
			}
			if got, err := list(d, prefix, after); err != nil || !slices.Equal(got, some) {
				t.Fatalf("List(%q, %q): got %q, %v, want %q", prefix, after, got, err, some)
			}
		}
	}
}

// Many files come whole and in order, and what is asked for in the middle does not
// walk the rest.
func TestListManyFiles(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("makes 100,000 files")
	}
	dir := memoryDir(t)
	const dirs, files = 100, 1000
	var want []string
	var wg sync.WaitGroup
	for i := range dirs {
		sub := fmt.Sprintf("d%02d", i)
		for j := range files {
			want = append(want, fmt.Sprintf("%s/%03d", sub, j))
		}
		wg.Go(func() {
			if err := os.Mkdir(filepath.Join(dir, sub), 0o777); err != nil {
				t.Error(err)
			}
			first := filepath.Join(dir, sub, "000")
			if err := os.WriteFile(first, nil, 0o666); err != nil {
				t.Error(err)
			}
			for j := 1; j < files; j++ {
				// Links are made faster than files.
				if err := os.Link(first, filepath.Join(dir, sub, fmt.Sprintf("%03d", j))); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	d, err := filestore.New(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	fsys := &faulty{}
	d = filestore.WithFiles(d, fsys)
	got, err := list(d, "", "")
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("got %d keys, %v, want %d in order", len(got), err, len(want))
	}
	fsys.read = nil
	got, err = list(d, "", "d97/500")
	if err != nil || !slices.Equal(got, want[97*files+501:]) {
		t.Errorf("after d97/500: got %d keys, %v, want %d", len(got), err, 2*files+499)
	}
	if len(fsys.read) != 4 {
		t.Errorf("read the directories %q, want the root and the last three", fsys.read)
	}
	fsys.read = nil
	if got, err = list(d, "d42/7", ""); err != nil || len(got) != 100 || len(fsys.read) != 1 {
		t.Errorf("got %d keys, %v, from %q, want 100 from d42 alone", len(got), err, fsys.read)
	}
}

// memoryDir is a folder in memory where the system has one: to make and remove
// many files on a disk takes most of a test's time.
func memoryDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "filestore")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// faulty is the machine's file system with faults by the base name of the path.
type faulty struct {
	filestore.OS
	dirs  map[string]error // of ReadDir
	stats map[string]error // of Stat
	infos map[string]error // of an entry's Info
	opens map[string]error
	read  []string // directories read

	partial bool // a directory that fails gives its names nevertheless
}

func (f *faulty) ReadDir(name string) ([]fs.DirEntry, error) {
	f.read = append(f.read, filepath.Base(name))
	fault := f.dirs[filepath.Base(name)]
	if fault != nil && !f.partial {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fault}
	}
	entries, err := f.OS.ReadDir(name)
	if fault != nil {
		err = &fs.PathError{Op: "readdirent", Path: name, Err: fault}
	}
	for i, e := range entries {
		entries[i] = faultyEntry{e, f}
	}
	return entries, err
}

func (f *faulty) Stat(name string) (fs.FileInfo, error) {
	if err := f.stats[filepath.Base(name)]; err != nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	return f.OS.Stat(name)
}

func (f *faulty) Open(name string) (filestore.File, error) {
	if err := f.opens[filepath.Base(name)]; err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return f.OS.Open(name)
}

type faultyEntry struct {
	fs.DirEntry
	f *faulty
}

func (e faultyEntry) Info() (fs.FileInfo, error) {
	if err := e.f.infos[e.Name()]; err != nil {
		return nil, &fs.PathError{Op: "lstat", Path: e.Name(), Err: err}
	}
	return e.DirEntry.Info()
}

// What cannot be looked at is listed without a size, between all that can be, and to
// open it fails with the reason; what vanished is left out only if it is gone.
func TestListFaults(t *testing.T) {
	t.Parallel()
	dir, d := folder(t, "a", "dark/x", "m", "z")
	if err := os.Symlink("m", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	type faults = map[string]error
	for _, c := range []struct {
		name string
		fsys faulty
		want string // keys, with ? where there is no size
		open error  // of what has none
		err  error  // of the listing
	}{
		{name: "an unreadable directory", fsys: faulty{dirs: faults{"dark": syscall.EACCES}},
			want: "a dark/? link m z", open: fs.ErrPermission},
		{name: "a directory with an I/O error", fsys: faulty{dirs: faults{"dark": syscall.EIO}},
			want: "a dark/? link m z", open: syscall.EIO},
		{name: "a directory whose names break off", fsys: faulty{dirs: faults{"dark": syscall.EIO}, partial: true},
			want: "a dark/? dark/x link m z", open: syscall.EIO},
		{name: "a directory that vanished", fsys: faulty{dirs: faults{"dark": syscall.ENOENT}, stats: faults{"dark": syscall.ENOENT}},
			want: "a link m z"},
		{name: "a directory that says it vanished and is there", fsys: faulty{dirs: faults{"dark": syscall.ENOENT}},
			want: "a dark/? link m z", open: fs.ErrNotExist},
		{name: "a file that vanished", fsys: faulty{infos: faults{"m": syscall.ENOENT}, stats: faults{"m": syscall.ENOENT}},
			want: "a dark/x link z"},
		{name: "a file that vanished and came back", fsys: faulty{infos: faults{"m": syscall.ENOENT}},
			want: "a dark/x link m z"},
		{name: "a file that cannot be looked at", fsys: faulty{infos: faults{"m": syscall.EACCES}, stats: faults{"m": syscall.EACCES}},
			want: "a dark/x link m? z", open: fs.ErrPermission},
		{name: "a link that cannot be followed, maybe to a directory", fsys: faulty{stats: faults{"link": syscall.EACCES}},
			want: "a dark/x link/? m z", open: fs.ErrPermission},
		{name: "a link to itself", fsys: faulty{stats: faults{"link": syscall.ELOOP}},
			want: "a dark/x link? m z", open: syscall.ELOOP},
		{name: "the folder itself vanished", fsys: faulty{stats: faults{filepath.Base(dir): syscall.ENOENT}},
			want: "", err: fs.ErrNotExist},
		{name: "the folder itself is unreadable", fsys: faulty{dirs: faults{filepath.Base(dir): syscall.EACCES}},
			want: "", err: fs.ErrPermission},
	} {
		d := filestore.WithFiles(d, &c.fsys)
		var got []string
		var fault error
		for obj, err := range d.List(t.Context(), "", "") {
			if fault = err; err != nil {
				break
			}
			if obj.Size >= 0 {
				got = append(got, obj.Key)
				continue
			}
			got = append(got, obj.Key+"?")
			if _, err := d.ReadRange(t.Context(), obj.Key, 0, -1, obj.Version); !errors.Is(err, c.open) {
				t.Errorf("%s: open: got %v, want %v", c.name, err, c.open)
			}
		}
		if strings.Join(got, " ") != c.want || !errors.Is(fault, c.err) {
			t.Errorf("%s: got %q and %v, want %q and %v", c.name, got, fault, c.want, c.err)
		}
	}
	// Outside of what is asked for, nothing is looked at.
	blind := &faulty{dirs: faults{"dark": syscall.EACCES}, stats: faults{"link": syscall.EACCES}}
	if got, err := list(filestore.WithFiles(d, blind), "m", ""); err != nil || len(got) != 1 {
		t.Errorf("prefix m: got %q, %v, want m", got, err)
	}
	if got, err := list(filestore.WithFiles(d, blind), "", "link~"); err != nil || len(got) != 2 {
		t.Errorf("after link~: got %q, %v, want m and z", got, err)
	}
	// Where the fault is at the place to begin, no key stands for it.
	for prefix, after := range map[string]string{"dark/x": "", "": "dark/a"} {
		if got, err := list(filestore.WithFiles(d, blind), prefix, after); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("List(%q, %q): got %q, %v, want %v", prefix, after, got, err, fs.ErrPermission)
		}
	}
}

// A folder that could not be listed and can be now is no empty folder: what lies in it
// is missing from the listing.
func TestFolderThatBecameReadable(t *testing.T) {
	t.Parallel()
	_, d := folder(t, "a", "dark/x")
	dark := filestore.WithFiles(d, &faulty{dirs: map[string]error{"dark": syscall.EACCES}})
	for obj, err := range dark.List(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		if obj.Size >= 0 {
			continue
		}
		if _, err := d.ReadRange(t.Context(), obj.Key, 0, -1, obj.Version); !errors.Is(err, driver.ErrChanged) {
			t.Errorf("%s: got %v, want %v", obj.Key, err, driver.ErrChanged)
		}
	}
}

// The real thing, where the system enforces it.
func TestListUnreadableDirectory(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("this user may read every directory")
	}
	dir, d := folder(t, "a", "dark/x", "z")
	if err := os.Chmod(filepath.Join(dir, "dark"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(dir, "dark"), 0o777) })
	if got, err := list(d, "", ""); err != nil || strings.Join(got, " ") != "a dark/ z" {
		t.Errorf("got %q, %v, want dark/ among them", got, err)
	}
	if _, err := d.ReadRange(t.Context(), "dark/", 0, -1, ""); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v, want %v", err, fs.ErrPermission)
	}
}

func TestListLinks(t *testing.T) {
	t.Parallel()
	elsewhere := t.TempDir()
	write(t, elsewhere, "in/f", "g")
	dir, d := folder(t, "real/f", "b")
	for name, target := range map[string]string{
		"a-file":     "b",
		"dangling":   "nowhere",
		"dir":        "real",
		"dir-x":      "b", // sorts before dir/f
		"outside":    elsewhere,
		"outside.g":  filepath.Join(elsewhere, "g"),
		"to-nothing": filepath.Join(elsewhere, "nothing"),
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"a-file", "b", "dangling", "dir-x", "dir/f", "outside.g", "outside/g", "outside/in/f", "real/f", "to-nothing"}
	if got, err := list(d, "", ""); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if obj, err := d.Stat(t.Context(), "dir/f"); err != nil || obj.Size != 6 {
		t.Errorf("got size %d, %v, want 6", obj.Size, err)
	}
	if _, err := d.Stat(t.Context(), "dangling"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want %v", err, fs.ErrNotExist)
	}
	_, dangling := d.Stat(t.Context(), "dangling")
	if _, err := d.Stat(t.Context(), "none"); err == nil || dangling == nil || err.Error() == dangling.Error() {
		t.Errorf("got %v for a link that leads nowhere, and %v for what is not there; want to see which it is", dangling, err)
	}
	if err := os.Symlink(".", filepath.Join(dir, "real", "loop")); err != nil {
		t.Fatal(err)
	}
	want = []string{"real/f", "real/loop/"}
	if got, err := list(d, "real/", ""); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if _, err := d.ReadRange(t.Context(), "real/loop/", 0, -1, ""); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want an error about the loop", err)
	}
}

// The directories that cannot hold what is wanted are not read.
func TestListFoldersThatCanMatch(t *testing.T) {
	t.Parallel()
	_, d := folder(t, "a.gz", "in/b.gz", "in/deep/c.gz", "out/d.gz", "out/deep/e.gz", "snap/f.gz", "in/snap/g.gz")
	for _, c := range []struct {
		opts blob.ListOptions
		want string // keys
		read string // directories below the first
	}{
		{blob.ListOptions{}, "a.gz in/b.gz in/deep/c.gz in/snap/g.gz out/d.gz out/deep/e.gz snap/f.gz", "in deep snap out deep snap"},
		{blob.ListOptions{Glob: "*.gz"}, "a.gz", ""},
		{blob.ListOptions{Glob: "*/*.gz"}, "in/b.gz out/d.gz snap/f.gz", "in out snap"},
		{blob.ListOptions{Glob: "*/deep/*.gz"}, "in/deep/c.gz out/deep/e.gz", "in deep out deep snap"},
		{blob.ListOptions{Glob: "in/**"}, "in/b.gz in/deep/c.gz in/snap/g.gz", "deep snap"},
		{blob.ListOptions{Glob: "{in,snap}/*.gz"}, "in/b.gz snap/f.gz", "in snap"},
		{blob.ListOptions{Exclude: []string{"**/snap"}}, "a.gz in/b.gz in/deep/c.gz out/d.gz out/deep/e.gz", "in deep out deep"},
		{blob.ListOptions{Exclude: []string{"in/", "*.gz"}}, "out/d.gz out/deep/e.gz snap/f.gz", "out deep snap"},
		{blob.ListOptions{Glob: "**/*.gz", Exclude: []string{"{in,out}/deep", "snap"}}, "a.gz in/b.gz in/snap/g.gz out/d.gz", "in snap out"},
	} {
		fsys := &faulty{}
		s := blob.New(filestore.WithFiles(d, fsys), nil)
		wantListed(t, s, &c.opts, c.want)
		if read := strings.Join(fsys.read[1:], " "); read != c.read {
			t.Errorf("%+v: read the directories %q, want %q", c.opts, read, c.read)
		}
	}
}

// What could not be looked at is listed under a glob where it, or something below it,
// may match; what is excluded is not.
func TestUnreadableUnderAGlob(t *testing.T) {
	t.Parallel()
	dir, d := folder(t, "a.gz", "dark/x.gz")
	for name, target := range map[string]string{"gone.gz": "nowhere", "gone": "nowhere", "denied": "dark"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	fsys := &faulty{dirs: map[string]error{"dark": syscall.EACCES}, stats: map[string]error{"denied": syscall.EACCES}}
	s := blob.New(filestore.WithFiles(d, fsys), nil)
	for _, c := range []struct {
		opts blob.ListOptions
		want string
	}{
		{blob.ListOptions{}, "a.gz dark/ denied/ gone gone.gz"},
		{blob.ListOptions{Glob: "*.gz"}, "a.gz gone.gz"},
		{blob.ListOptions{Glob: "d*"}, "denied/"},
		{blob.ListOptions{Glob: "*/*.gz"}, "dark/ denied/"},
		{blob.ListOptions{Glob: "**/*.gz"}, "a.gz dark/ denied/ gone.gz"},
		{blob.ListOptions{Exclude: []string{"dark", "denied/", "gone*"}}, "a.gz"},
	} {
		wantListed(t, s, &c.opts, c.want)
	}
}

// wantListed expects the keys of a listing, between spaces.
func wantListed(t *testing.T, s *blob.Store, opts *blob.ListOptions, want string) {
	t.Helper()
	var got []string
	for obj, err := range s.List(opts).Objects(t.Context(), blob.Mark{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, obj.Key)
	}
	if strings.Join(got, " ") != want {
		t.Errorf("%+v: got %q, want %q", *opts, got, want)
	}
}
