package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/internal/testing/corpus"
)

func TestRecords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, o := range []struct{ name, codec, data string }{
		{"a.ndjson.zst", "zstd", "{}\n\n[1,2]\n"},
		{"b.csv.gz", "gzip", "id,note\n1,\"two\nlines\"\n"},
	} {
		data, err := corpus.Encode(o.codec, []byte(o.data))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, o.name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cut := filepath.Join(t.TempDir(), "cut.gz")
	if err := os.WriteFile(cut, []byte("\x1f\x8b\x08\x00\x00"), 0o666); err != nil {
		t.Fatal(err)
	}
	help := fmt.Sprintf(usage, "records")
	for _, tt := range []struct {
		name           string
		args           []string
		status         int
		stdout, stderr string
	}{
		{"folder", []string{dir}, 0, "a.ndjson.zst: 2 records, the longest of 5 bytes\nb.csv.gz: 2 records, the longest of 13 bytes\n", ""},
		{"truncated", []string{cut}, 1, "", "truncated"},
		{"missing", []string{filepath.Join(dir, "nope")}, 1, "", "nope"},
		{"no match", []string{filepath.Join(dir, "*.xz")}, 1, "", "no object"},
		{"no argument", nil, 2, "", "-h says more"},
		{"two arguments", []string{dir, dir}, 2, "", "-h says more"},
		{"a flag", []string{"-x", dir}, 2, "", "-x"},
		{"malformed URL", []string{"file://host/x"}, 2, "", "file:///path"},
		{"help", []string{"-h"}, 0, help, ""},
	} {
		var stdout, stderr bytes.Buffer
		status := run(t.Context(), tt.args, &stdout, &stderr)
		if status != tt.status || stdout.String() != tt.stdout || !strings.Contains(stderr.String(), tt.stderr) || status == 0 && stderr.Len() > 0 {
			t.Errorf("%s: got status %d, %q, %q on stderr, want %d, %q, %q", tt.name, status, stdout.String(), stderr.String(), tt.status, tt.stdout, tt.stderr)
		}
	}
}
