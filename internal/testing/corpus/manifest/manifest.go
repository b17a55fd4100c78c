// Package manifest finds the corpus of real and made files that tests may read:
// a folder with a MANIFEST.tsv that says what each file must give. It is no part
// of the repository; tests skip where it is absent.
package manifest

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// File is one file of the corpus.
type File struct {
	Path     string // on this machine
	Name     string // in the manifest
	Format   string
	Expected string // outcome, in words
	Size     int64  // decoded bytes; -1 where not stated
	SHA256   string // of the decoded bytes; empty where not stated
	Records  string // such as "lines=4"; empty where not stated
}

// Files lists the corpus under $THAW_CORPUS, else under shared/corpus beside the
// checkout. It skips the test where there is none, but fails it where the variable
// names a folder without one.
func Files(t testing.TB) []File {
	t.Helper()
	dir := os.Getenv("THAW_CORPUS")
	named := dir != ""
	if !named {
		dir = filepath.Join(root(t), "..", "shared", "corpus")
	}
	f, err := os.Open(filepath.Join(dir, "MANIFEST.tsv"))
	switch {
	case errors.Is(err, fs.ErrNotExist) && !named:
		t.Skip("no corpus: ", err)
	case err != nil:
		t.Fatal("corpus: ", err)
	}
	defer f.Close()
	var files []File
	lines := bufio.NewScanner(f)
	lines.Scan() // the header
	for lines.Scan() {
		col := strings.Split(lines.Text(), "\t")
		if len(col) < 9 {
			t.Fatalf("corpus manifest: %d columns in %q", len(col), lines.Text())
		}
		size, err := strconv.ParseInt(col[6], 10, 64)
		if err != nil {
			size = -1
		}
		files = append(files, File{
			Path: filepath.Join(dir, filepath.FromSlash(col[0])), Name: col[0], Format: col[3],
			Expected: col[5], Size: size, SHA256: col[7], Records: col[8],
		})
	}
	if err := lines.Err(); err != nil || len(files) == 0 {
		t.Fatalf("corpus manifest: %d files, %v", len(files), err)
	}
	return files
}

// root is the folder of the checkout: the nearest above with a .git or the
// module's go.mod.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "ARCHITECTURE.md")); err == nil {
			return dir
		}
	}
	return dir
}

// Outcome is a set of ways in which reading a file may end.
type Outcome struct {
	OK           bool // the bytes of SHA256 and a clean end
	Fail         bool // an error, whatever came before it
	DataThenFail bool // the bytes of SHA256, then an error
}

// Allowed is what Expected says.
func (f File) Allowed() Outcome {
	has := func(prefixes ...string) bool {
		for _, p := range prefixes {
			if strings.HasPrefix(f.Expected, p) {
				return true
			}
		}
		return false
	}
	contains := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(f.Expected, p) {
				return true
			}
		}
		return false
	}
	switch {
	case has("error or ok", "one layer", "error that says it is no lz4 frame", "all of both members, or an error"):
		return Outcome{OK: true, Fail: true}
	case has("all ") && contains("clean end or"):
		return Outcome{OK: true, DataThenFail: true}
	case has("all ", "data of the first", "error after the first"):
		return Outcome{DataThenFail: true}
	case has("error"):
		return Outcome{Fail: true}
	case contains(" or ", "; else", ", else"):
		return Outcome{OK: true, Fail: true}
	}
	return Outcome{OK: true}
}

// Admits says whether an outcome is allowed: the error that ended the read, nil
// for a clean end, and the hash of what came before.
func (f File) Admits(sha256 string, err error) bool {
	a, right := f.Allowed(), f.SHA256 == "" || f.SHA256 == sha256
	if err == nil {
		return a.OK && right
	}
	return a.Fail || a.DataThenFail && right
}
