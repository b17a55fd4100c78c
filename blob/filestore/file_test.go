package filestore_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/filestore"
)

func TestKeysStayInside(t *testing.T) {
	t.Parallel()
	dir, d := folder(t, "sub/a")
	write(t, filepath.Dir(dir), "secret")
	for _, key := range []string{
		"", "/", "/etc/passwd", "..", "../secret", "sub/../../secret", "sub/../sub/a", "./sub/a", "sub//a", "/sub/a", "sub/.", "a\x00b",
		filestore.TempName(), "sub/" + filestore.TempName(), filestore.TempName() + "/a",
	} {
		_, statErr := d.Stat(t.Context(), key)
		_, readErr := d.ReadRange(t.Context(), key, 0, -1, "")
		_, putErr := d.Put(t.Context(), key, strings.NewReader("x"), 1, driver.Condition{})
		delErr := d.Delete(t.Context(), key, "")
		for op, err := range map[string]error{"stat": statErr, "read": readErr, "put": putErr, "delete": delErr} {
			if !errors.Is(err, fs.ErrInvalid) && !(strings.HasSuffix(key, "/") && errors.Is(err, fs.ErrNotExist)) {
				t.Errorf("%s of %q: got %v, want %v", op, key, err, fs.ErrInvalid)
			}
		}
		if got, err := list(d, key+"/", ""); err != nil || len(got) != 0 {
			t.Errorf("list of %q: got %q, %v, want none", key+"/", got, err)
		}
	}
	if data, err := os.ReadFile(filepath.Join(filepath.Dir(dir), "secret")); string(data) != "secret" || err != nil {
		t.Errorf("the file outside is %q, %v, want it as it was", data, err)
	}
}

func TestFolderIsNoObject(t *testing.T) {
	t.Parallel()
	_, d := folder(t, "sub/a")
	s := blob.New(d, nil)
	_, statErr := s.Stat(t.Context(), "sub")
	_, readErr := s.NewReader(t.Context(), "sub", nil)
	_, putErr := s.Put(t.Context(), "sub", strings.NewReader(""), 0, nil)
	for op, err := range map[string]error{"stat": statErr, "read": readErr, "put": putErr} {
		want := driver.ErrFolder
		if op == "put" {
			want = fs.ErrInvalid // the key is a mistake, where nothing is looked for
		}
		e, ok := errors.AsType[*blob.Error](err)
		if !ok || !errors.Is(err, want) || e.Key != "sub" {
			t.Errorf("%s: got %v, want it to say that sub is a folder", op, err)
		}
	}
	if _, err := s.Put(t.Context(), "sub/a/b", strings.NewReader(""), 0, nil); err == nil {
		t.Error("a file below a file was written")
	}
}

// A file that is written to while it is read fails, at the latest at its end.
func TestReadDetectsWrites(t *testing.T) {
	t.Parallel()
	const size = 300_000
	for name, change := range map[string]func(path string) error{
		"grows": func(path string) error {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.Write(make([]byte, 10))
			return errors.Join(err, f.Close())
		},
		"shrinks":           func(path string) error { return os.Truncate(path, size/2) },
		"shrinks to before": func(path string) error { return os.Truncate(path, 10) },
		"is rewritten": func(path string) error {
			if err := os.WriteFile(path, make([]byte, size), 0o666); err != nil {
				return err
			}
			// The clock of the file system may be coarse.
			return os.Chtimes(path, fixedTime, fixedTime)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, d := folder(t)
			path := filepath.Join(dir, "k")
			if err := os.WriteFile(path, bytes.Repeat([]byte("x"), size), 0o666); err != nil {
				t.Fatal(err)
			}
			r, err := blob.New(d, nil).NewReader(t.Context(), "k", nil)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if _, err := io.CopyN(io.Discard, r, 1000); err != nil {
				t.Fatal(err)
			}
			if err := change(path); err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, struct{ io.Reader }{r}); !errors.Is(err, blob.ErrChanged) {
				t.Errorf("got %v, want %v", err, blob.ErrChanged)
			}
		})
	}
}

// A version is size and time of the content. An inode is no part of it: mounts make
// numbers up, and give the same file another one at every look.
func TestVersion(t *testing.T) {
	t.Parallel()
	dir, d := folder(t, "a")
	stat := func() string {
		t.Helper()
		obj, err := d.Stat(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		return obj.Version
	}
	path := filepath.Join(dir, "a")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	first := stat()
	for _, c := range []struct {
		name string
		do   func() error
		same bool
	}{
		{"nothing", func() error { return nil }, true},
		{"other rights", func() error { return os.Chmod(path, 0o600) }, true},
		{"a copy with its time, renamed into place", func() error {
			copied := filepath.Join(dir, "b")
			if err := os.WriteFile(copied, []byte("a"), 0o666); err != nil {
				return err
			}
			if err := os.Chtimes(copied, info.ModTime(), info.ModTime()); err != nil {
				return err
			}
			return os.Rename(copied, path)
		}, true},
		{"another time", func() error { return os.Chtimes(path, info.ModTime(), info.ModTime().Add(time.Millisecond)) }, false},
		{"another size", func() error { return os.WriteFile(path, []byte("aa"), 0o666) }, false},
	} {
		if err := c.do(); err != nil {
			t.Fatal(err)
		}
		if got := stat(); (got == first) != c.same {
			t.Errorf("%s: got %q after %q, want the same: %t", c.name, got, first, c.same)
		}
	}
}

// An error of reading is that of the system, not an end.
func TestReadFaults(t *testing.T) {
	t.Parallel()
	_, d := folder(t, "dark", "broken")
	fsys := &faulty{opens: map[string]error{"dark": syscall.EACCES}}
	s := blob.New(filestore.WithFiles(d, fsys), nil)
	if _, err := s.NewReader(t.Context(), "dark", nil); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v, want %v", err, fs.ErrPermission)
	}
	s = blob.New(filestore.WithFiles(d, brokenFiles{}), nil)
	r, err := s.NewReader(t.Context(), "broken", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, err := io.ReadAll(r)
	be, ok := errors.AsType[*blob.Error](err)
	if !ok || !errors.Is(err, syscall.EIO) || be.Offset != 3 || string(got) != "bro" {
		t.Errorf("got %q, %v, want 3 bytes and %v at offset 3", got, err, syscall.EIO)
	}
}

// brokenFiles are files whose disk fails behind three bytes.
type brokenFiles struct{ filestore.OS }

func (b brokenFiles) Open(name string) (filestore.File, error) {
	f, err := b.OS.Open(name)
	return brokenFile{f}, err
}

type brokenFile struct{ filestore.File }

func (b brokenFile) ReadAt(p []byte, off int64) (int, error) {
	if off >= 3 {
		return 0, &fs.PathError{Op: "read", Path: "broken", Err: syscall.EIO}
	}
	n, err := b.File.ReadAt(p[:min(len(p), 3-int(off))], off)
	if err == nil && n < len(p) {
		err = &fs.PathError{Op: "read", Path: "broken", Err: syscall.EIO}
	}
	return n, err
}

// A failed Put leaves no temporary file, and a successful one none either.
func TestPutLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	dir, d := folder(t, "old")
	for _, c := range []struct {
		key  string
		size int64
		cond driver.Condition
		ok   bool
	}{
		{"new/deep/k", 3, driver.Condition{}, true},
		{"old", 3, driver.Condition{Absent: true}, false},
		{"absent", 3, driver.Condition{Absent: true}, true},
		{"short", 4, driver.Condition{}, false},
		{"long", 2, driver.Condition{}, false},
	} {
		_, err := d.Put(t.Context(), c.key, strings.NewReader("abc"), c.size, c.cond)
		if (err == nil) != c.ok {
			t.Errorf("%+v: got %v", c, err)
		}
	}
	var found []string
	filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			found = append(found, strings.TrimPrefix(path, dir+"/"))
		}
		return err
	})
	if got, want := strings.Join(found, " "), "absent new/deep/k old"; got != want {
		t.Errorf("got files %q, want %q", got, want)
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	dir, _ := folder(t, "a")
	if _, err := filestore.New(filepath.Join(dir, "nope"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want %v", err, fs.ErrNotExist)
	}
	if _, err := filestore.New(filepath.Join(dir, "a"), nil); err == nil || !strings.Contains(err.Error(), "is a file") {
		t.Errorf("got %v, want it to say that it is a file", err)
	}
	missing := filepath.Join(dir, "new", "folder")
	d, err := filestore.New(missing, &filestore.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	if s := blob.New(d, nil); s.Name() != "file://"+missing+"/" || s.ObjectName("k") != "file://"+missing+"/k" || !s.Traits().Local {
		t.Errorf("got %q, %q, want a local store named by its URL", s.Name(), s.ObjectName("k"))
	}
}

// Open files are closed however a read ends.
func TestFilesAreClosed(t *testing.T) {
	t.Parallel()
	_, d := folder(t, "a")
	counter := &countingFiles{}
	s := blob.New(filestore.WithFiles(d, counter), nil)
	for _, version := range []string{"", "another"} {
		for range 3 {
			r, err := s.NewReader(t.Context(), "a", &blob.ReaderOptions{Object: &blob.Object{Version: version, Size: -1}})
			if err == nil {
				io.Copy(io.Discard, struct{ io.Reader }{r})
				if counter.open != 0 {
					t.Errorf("%d files open after the end, want 0", counter.open)
				}
				r.Close()
			}
		}
	}
	if counter.open != 0 {
		t.Errorf("%d files left open, want 0", counter.open)
	}
}

type countingFiles struct {
	filestore.OS
	open int
}

func (c *countingFiles) Open(name string) (filestore.File, error) {
	f, err := c.OS.Open(name)
	c.open++
	return &countedFile{File: f, files: c}, err
}

type countedFile struct {
	filestore.File
	files *countingFiles
}

func (c *countedFile) Close() error { c.files.open--; return c.File.Close() }
