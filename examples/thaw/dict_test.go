package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// Every verb that decodes takes dictionaries, and finds one that an object holds.
func TestDictionary(t *testing.T) {
	t.Parallel()
	data := corpus.NDJSONBytes(5, 40)
	whole, err := corpus.ZstdWithDictionary(data, data)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := func(name string, content []byte) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, content, 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	front := 8 + binary.LittleEndian.Uint32(whole[4:])
	holds := file("holds.ndjson.zst", whole)
	needs := file("needs.ndjson.zst", whole[front:])
	dict := file("dict", whole[8:front])
	want := string(data) + string(data)
	for _, tc := range []struct {
		why    string
		args   []string
		status int
		stdout string
		stderr string
	}{
		{"held", []string{"cat", holds}, 0, want, ""},
		{"held, from its middle", []string{"cat", "-offset", "5000", holds}, 0, want[5000:], ""},
		{"given", []string{"cat", "-dict", dict, needs}, 0, want, ""},
		{"given, records", []string{"records", "-q", "-dict", dict, needs}, 0, want, ""},
		{"given, from its middle", []string{"cat", "-dict", dict, "-offset", "5000", needs}, 0, want[5000:], ""},
		{"given, inspect", []string{"inspect", "-decode", "-dict", dict, needs}, 0, "key ", ""},
		{"given, index", []string{"index", "-q", "-dict", dict, needs}, 0, "", ""},
		{"missing", []string{"cat", needs}, 1, "", "-dict FILE"},
		{"no such file", []string{"cat", "-dict", dict + "x", needs}, 2, "", "no such file"},
		{"no dictionary", []string{"cat", "-dict", needs, needs}, 2, "", "dictionary"},
	} {
		status, stdout, stderr := call(t, tc.args...)
		if status != tc.status || !strings.HasPrefix(stdout, tc.stdout) || !strings.Contains(stderr, tc.stderr) {
			t.Errorf("%s: got status %d, %d bytes, %q; want %d, %d bytes, %q", tc.why, status, len(stdout), stderr, tc.status, len(tc.stdout), tc.stderr)
		}
	}
}
