package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/frame/frametest"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

func TestNetstrings(t *testing.T) {
	t.Parallel()
	frametest.Run(t, netstrings(), []frametest.Case{
		{Name: "empty object", In: ""},
		{Name: "records", In: "5:hello,0:,3:a,:,", Want: []string{"hello", "", "a,:"}},
		{Name: "long", In: "2:hi,9000:" + strings.Repeat("x", 9000) + ",", Want: []string{"hi", strings.Repeat("x", 9000)}},
		{Name: "cut in a length", In: "2:hi,12", Want: []string{"hi"}, Err: io.ErrUnexpectedEOF},
		{Name: "cut in data", In: "2:hi,12:abc", Want: []string{"hi"}, Err: io.ErrUnexpectedEOF},
		{Name: "no comma", In: "2:hi,2:hi;", Want: []string{"hi"}, Err: frame.ErrNoResync},
		{Name: "no length", In: ":,", Err: frame.ErrRecord},
		{Name: "length with a zero", In: "01:a,", Err: frame.ErrRecord},
		{Name: "length of ten digits", In: "1234567890:a,", Err: frame.ErrRecord},
		{Name: "negative length", In: "-1:a,", Err: frame.ErrRecord},
	})
}

func TestRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, o := range []struct{ name, codec, data string }{
		{"a.netstrings.gz", "gzip", "5:two\nl,0:,"},
		{"b.txt", "none", "5:line\n"},
		{"bad/c.netstrings.zst", "zstd", "2:hi,2:cut"},
	} {
		data, err := corpus.Encode(o.codec, []byte(o.data))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.FromSlash(o.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	help := fmt.Sprintf(usage, "customframer")
	for _, tt := range []struct {
		name           string
		args           []string
		status         int
		stdout, stderr string
	}{
		{"by extension", []string{filepath.Join(dir, "*.*")}, 0, "a.netstrings.gz 0 \"two\\nl\"\na.netstrings.gz 1 \"\"\nb.txt 0 \"5:line\"\n", ""},
		{"bad record", []string{filepath.Join(dir, "bad", "c.netstrings.zst")}, 1, "c.netstrings.zst 0 \"hi\"\n", "netstring"},
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
