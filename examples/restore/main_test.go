package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// The test binary is the program where this variable is set.
const program = "THAW_TEST_RESTORE"

func TestMain(m *testing.M) {
	if os.Getenv(program) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// The first run prints every record, the second has nothing left to do, and a
// damaged object is a failure.
func TestRestore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := corpus.NDJSONBytes(1, 2000)
	packed, err := corpus.Encode("zstd", data)
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		content []byte
		fails   bool
		lines   int
	}{
		{"a.ndjson.zst", packed, false, 2000},
		{"a.ndjson.zst", packed, false, 0}, // the manifest says that it was read
		{"b.ndjson.zst", packed[:len(packed)/2], true, 1},
	} {
		if err := os.WriteFile(filepath.Join(dir, tt.name), tt.content, 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(exe, filepath.Join(dir, "*.zst"), filepath.Join(dir, "manifest.json"))
		cmd.Env = append(os.Environ(), program+"=1")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if n := strings.Count(string(out), "\n"); (err != nil) != tt.fails || !tt.fails && n != tt.lines || n < tt.lines {
			t.Errorf("%s: got %d lines, %v, want %d, failure: %v\n%s", tt.name, n, err, tt.lines, tt.fails, stderr.String())
		}
	}
}
