package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

func TestInspectOne(t *testing.T) {
	t.Parallel()
	dir := folder(t, [3]string{"a.ndjson.zst", "zstd", string(corpus.NDJSONBytes(1, 4000))})
	status, stdout, stderr := call(t, "inspect", dir)
	if status != 0 || stderr != "" {
		t.Errorf("got status %d, %q on stderr, want 0 and nothing", status, stderr)
	}
	for _, want := range []string{"key         " + filepath.Join(dir, "a.ndjson.zst") + "\n", "codec       zstd, by magic\n", "checksums   xxh64\n", "members     1, "} {
		if !strings.Contains(stdout, want) {
			t.Errorf("got %q, want %q in it", stdout, want)
		}
	}
}

func TestInspectMany(t *testing.T) {
	t.Parallel()
	dir := folder(t, [3]string{"a.gz", "gzip", "one\n"}, [3]string{"b.zst", "zstd", "two\n"}, [3]string{"c", "none", "three\n"}, [3]string{"d.lz4", "lz4", "four\n"}, [3]string{"e", "none", ""})
	whole, err := os.ReadFile(filepath.Join(dir, "d.lz4"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "d.lz4"), whole[:len(whole)-1], 0o666); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := call(t, "inspect", "-decode", dir)
	if status != 1 || !strings.Contains(stderr, "d.lz4") || !strings.Contains(stderr, "unexpected EOF") {
		t.Errorf("got status %d, %q on stderr, want 1 and the object that is cut", status, stderr)
	}
	for _, want := range []string{filepath.Join(dir, "c") + "\n", "objects     5 of ", "failed      1\n", "zstd", fmt.Sprintf("at most (%q)", filepath.Join(dir, "d.lz4"))} {
		if !strings.Contains(stdout, want) {
			t.Errorf("got %q, want %q in it", stdout, want)
		}
	}
	status, stdout, _ = call(t, "inspect", "-json", "-list", "1", dir)
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	if status != 1 || len(lines) != 6 {
		t.Fatalf("got status %d and %d lines, want 1 and 6", status, len(lines))
	}
	for n, line := range lines {
		var v struct {
			Key, Error string
			Info       *codec.Info
			Summary    *codec.Summary
		}
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		if last := n == 5; last != (v.Summary != nil) || last == (v.Info != nil) || (v.Error != "") != (v.Key == filepath.Join(dir, "d.lz4")) {
			t.Errorf("got %q as line %d", line, n+1)
		}
	}
}
