package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/blob/simstore"
	"github.com/thaw-go/thaw/codec/seek"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
)

// members is a gzip object of many members, and what it decodes to.
func members(t *testing.T) (stored, data string) {
	t.Helper()
	var b bytes.Buffer
	text := corpus.NDJSONBytes(1, 5000)
	for i := 0; i < len(text); i += 20_000 {
		w := gzip.NewWriter(&b)
		w.Write(text[i:min(len(text), i+20_000)])
		w.Close()
	}
	return b.String(), string(text)
}

func write(t *testing.T, path, data string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(data), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestIndexAndRanges(t *testing.T) {
	t.Parallel()
	stored, data := members(t)
	dir := t.TempDir()
	a := filepath.Join(dir, "a.gz")
	write(t, a, stored)
	size := len(data)
	far := filepath.Join(folder(t, [3]string{"far.gz", "gzip", strings.Repeat("x", 5<<20)}), "far.gz")
	for name, offset := range map[string]string{far: "4194304", a: "700000"} {
		note := name + ": no index: what lies before offset 4194304 is decoded too"
		_, _, stderr := call(t, "cat", "-offset", offset, "-length", "10", name)
		if strings.Contains(stderr, note) != (name == far) || name == a && stderr != "" {
			t.Errorf("%s at %s without an index: got %q on stderr", name, offset, stderr)
		}
	}
	for _, with := range []string{"no index", "an index beside it", "another index"} {
		args := []string{"cat", "-q"}
		switch with {
		case "an index beside it":
			status, stdout, stderr := call(t, "index", "-spacing", "100kB", a)
			if want := a + ".thawidx  "; status != 0 || !strings.HasPrefix(stdout, want) || stderr != "" {
				t.Fatalf("got status %d, %q, %q on stderr, want 0 and %q", status, stdout, stderr, want)
			}
		case "another index":
			other := filepath.Join(dir, "named")
			status, stdout, stderr := call(t, "index", "-spacing", "300kB", "-json", "-o", other, a)
			var got reported
			if err := json.Unmarshal([]byte(stdout), &got); status != 0 || stderr != "" || err != nil {
				t.Fatalf("got status %d, %q, %q on stderr, %v", status, stdout, stderr, err)
			}
			if info, err := os.Stat(other); err != nil || got.Name() != a || got.Index != other || got.Codec != "gzip" ||
				got.Stored != int64(len(stored)) || got.Decoded != int64(size) || got.Points == 0 || got.Spacing < 300_000 || int64(got.Size) != info.Size() {
				t.Errorf("got %s, %v", stdout, err)
			}
			args = append(args, "-index", other)
		}
		for _, tc := range []struct {
			offset, length int // -1: not given
			status         int
			want           string
		}{
			{-1, 10, 0, data[:10]},
			{700_000, 5000, 0, data[700_000:705_000]},
			{700_000, -1, 0, data[700_000:]},
			{0, size, 0, data},
			{size - 1, 1, 0, data[size-1:]},
			{size, -1, 0, ""},
			{size, 0, 0, ""},
			{500, 0, 0, ""},
			{size, 1, 1, ""},
			{size - 3, 4, 1, data[size-3:]},
			{size + 1, -1, 1, ""},
			{2 * size, 5, 1, ""},
		} {
			args := args
			if tc.offset >= 0 {
				args = append(args, "-offset", fmt.Sprint(tc.offset))
			}
			if tc.length >= 0 {
				args = append(args, "-length", fmt.Sprint(tc.length))
			}
			status, stdout, stderr := call(t, append(args, a)...)
			if status != tc.status || stdout != tc.want || (stderr == "") != (status == 0) || status != 0 && !strings.Contains(stderr, a) {
				t.Errorf("%s: %d bytes at %d: got status %d, %d bytes, %q on stderr, want %d, %d bytes", with, tc.length, tc.offset, status, len(stdout), stderr, tc.status, len(tc.want))
			}
		}
	}
	// The index is no object of the folder.
	for _, what := range []string{dir, filepath.Join(dir, "a*")} {
		if status, stdout, _ := call(t, "cat", what); what != dir && (status != 0 || stdout != data) {
			t.Errorf("%s: got status %d and %d bytes, want 0 and %d", what, status, len(stdout), size)
		}
	}
	if status, _, _ := call(t, "cat", "-length", "5", filepath.Join(dir, "*")); status != 1 {
		t.Error("got a range of two objects")
	}
}

// An index that does not fit is left aside, or an error if it was asked for.
func TestIndexThatDoesNotFit(t *testing.T) {
	t.Parallel()
	stored, data := members(t)
	dir := t.TempDir()
	a, x := filepath.Join(dir, "a.gz"), filepath.Join(dir, "a.gz.thawidx")
	write(t, a, stored)
	if status, _, stderr := call(t, "index", "-spacing", "100kB", a); status != 0 {
		t.Fatalf("got status %d, %s", status, stderr)
	}
	good, err := os.ReadFile(x)
	if err != nil {
		t.Fatal(err)
	}
	check := func(why, index, says string) {
		t.Helper()
		status, stdout, stderr := call(t, "cat", "-offset", "700000", "-length", "100", a)
		if status != 0 || stdout != data[700_000:700_100] || !strings.Contains(stderr, says) || !strings.Contains(stderr, "a.gz.thawidx: not used") {
			t.Errorf("%s: got status %d, %d bytes, %q on stderr, want 0, 100 and %q", why, status, len(stdout), stderr, says)
		}
		status, stdout, stderr = call(t, "cat", "-offset", "700000", "-length", "100", "-index", index, a)
		if status != 1 || stdout != "" || !strings.Contains(stderr, says) || !strings.Contains(stderr, index) {
			t.Errorf("%s, asked for: got status %d, %q on stderr, want 1 and %q", why, status, stderr, says)
		}
	}
	write(t, x, string(good[:len(good)-1]))
	check("cut", x, "corrupt data")
	write(t, x, "not an index")
	check("another file", x, "corrupt data")
	write(t, x, string(good))
	write(t, a, stored+"\x00")
	check("an object of another size", x, "another version")
	if status, _, stderr := call(t, "cat", "-length", "1", "-index", filepath.Join(dir, "none"), a); status != 1 || !strings.Contains(stderr, "none") {
		t.Errorf("got status %d, %q on stderr for an index that is missing", status, stderr)
	}
	// Same size, other content.
	changed := []byte(stored)
	changed[4] ^= 1 // the time in the first header
	if err := os.Remove(a); err != nil {
		t.Fatal(err)
	}
	write(t, a, string(changed))
	check("an object of the same size", x, "another version")
}

// A name that says another codec than the index is noted, or refused.
func TestRangesJudgeNames(t *testing.T) {
	t.Parallel()
	stored, data := members(t)
	a := filepath.Join(t.TempDir(), "a.zst")
	write(t, a, stored)
	const says = "extension says zstd"
	if status, _, stderr := call(t, "index", "-spacing", "100kB", a); status != 0 || !strings.Contains(stderr, says) {
		t.Fatalf("got status %d, %q on stderr, want 0 and %q", status, stderr, says)
	}
	status, stdout, stderr := call(t, "cat", "-offset", "700000", "-length", "10", a)
	if status != 0 || stdout != data[700_000:700_010] || strings.Count(stderr, says) != 1 {
		t.Errorf("got status %d, %q, %q on stderr, want 0 and %q", status, stdout, stderr, says)
	}
	status, stdout, stderr = call(t, "cat", "-strict", "-offset", "700000", "-length", "10", a)
	if status != 1 || stdout != "" || !strings.Contains(stderr, "a.zst: corrupt data") || !strings.Contains(stderr, says) {
		t.Errorf("strict: got status %d, %q, %q on stderr, want 1 and %q", status, stdout, stderr, says)
	}
}

// What cannot be read to its end has no index, and leaves nothing behind; nor does
// an index whose writing ends early.
func TestIndexFails(t *testing.T) {
	t.Parallel()
	stored, _ := members(t)
	dir := t.TempDir()
	a := filepath.Join(dir, "a.gz")
	write(t, a, stored[:len(stored)-1])
	left := func(why string) {
		t.Helper()
		names, err := os.ReadDir(dir)
		if err != nil || len(names) != 1 {
			t.Errorf("%s: got %v, %v in the folder, want the object", why, names, err)
		}
	}
	status, stdout, stderr := call(t, "index", a)
	if status != 1 || stdout != "" || !strings.Contains(stderr, a) || !strings.Contains(stderr, "unexpected EOF") {
		t.Errorf("cut: got status %d, %q, %q on stderr", status, stdout, stderr)
	}
	left("cut")
	write(t, a, stored)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	if status := run(ctx, []string{"index", a}, &out, &errs); status != 1 {
		t.Errorf("canceled: got status %d", status)
	}
	left("canceled")
	nested, err := corpus.Encode("gzip", []byte(stored))
	if err != nil {
		t.Fatal(err)
	}
	b := filepath.Join(t.TempDir(), "b.gz.gz")
	write(t, b, string(nested))
	if status, _, stderr := call(t, "index", b); status != 1 || !strings.Contains(stderr, "not supported") {
		t.Errorf("two layers: got status %d, %q on stderr", status, stderr)
	}
	for _, args := range [][]string{{"index"}, {"index", "-o", "x", a, a}, {"cat", "-offset", "-1", a}, {"cat", "-length", "5", a, a}, {"index", "-spacing", "0", a}} {
		if status, _, stderr := call(t, args...); status != 2 || stderr == "" {
			t.Errorf("%v: got status %d, %q on stderr, want 2", args, status, stderr)
		}
	}
	if status, stdout, stderr := call(t, "index", "-spacing", "100kB", dir); status != 0 || strings.Count(stdout, "\n") != 1 {
		t.Errorf("folder: got status %d, %q, %q on stderr", status, stdout, stderr)
	}
	if status, stdout, _ := call(t, "index", "-spacing", "100kB", dir); status != 0 || strings.Count(stdout, "\n") != 1 {
		t.Errorf("folder again: got status %d, %q, want one index", status, stdout)
	}
}

// An object in which no place lies gets no index, unless an older one would stay or
// it is asked for by name.
func TestIndexWithoutPlaces(t *testing.T) {
	t.Parallel()
	dir := folder(t, [3]string{"small.gz", "gzip", "one\ntwo\n"}, [3]string{"large.br", "brotli", strings.Repeat("x", 5<<20)}, [3]string{"none", "none", ""})
	status, stdout, stderr := call(t, "index", dir)
	names, err := filepath.Glob(filepath.Join(dir, "*.thawidx"))
	if status != 0 || stdout != "" || err != nil || len(names) > 0 {
		t.Errorf("got status %d, %q, and %v in the folder, want 0 and no index", status, stdout, names)
	}
	for _, want := range []string{
		"small.gz: no index: its 8 B decoded are no more than the spacing of 4 MiB\n",
		"large.br: no index: brotli offers no place to begin at in it\n",
		"none: no index: its 0 B decoded are no more than the spacing of 4 MiB\n",
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("got %q on stderr, want %q in it", stderr, want)
		}
	}
	small := filepath.Join(dir, "small.gz")
	status, stdout, stderr = call(t, "index", "-q", "-json", small)
	var got reported
	if err := json.Unmarshal([]byte(stdout), &got); status != 0 || stderr != "" || err != nil || got.Name() != small || got.Index != "" || got.Points != 0 || got.Size != 0 || got.Decoded != 8 {
		t.Errorf("got status %d, %q, %q on stderr, want 0 and a line without an index", status, stdout, stderr)
	}
	old := small + ".thawidx"
	write(t, old, seek.Magic+"of another version")
	for _, args := range [][]string{{"index", small}, {"index", "-o", filepath.Join(t.TempDir(), "named"), small}} {
		status, stdout, stderr := call(t, args...)
		if status != 0 || !strings.Contains(stdout, ": 0 places") || !strings.Contains(stderr, "small.gz: an index without places: ") {
			t.Errorf("%v: got status %d, %q, %q on stderr, want 0 and an index without places", args, status, stdout, stderr)
		}
	}
	if status, stdout, stderr := call(t, "cat", "-offset", "4", "-index", old, small); status != 0 || stdout != "two\n" || stderr != "" {
		t.Errorf("got status %d, %q, %q on stderr, want 0 and the rest", status, stdout, stderr)
	}
}

// Indexes that lie in a folder are no records of it.
func TestRecordsLeaveIndexesOut(t *testing.T) {
	t.Parallel()
	dir := folder(t, [3]string{"a.gz", "gzip", "one\ntwo\n"})
	if status, _, stderr := call(t, "index", "-q", "-o", filepath.Join(dir, "a.gz.thawidx"), dir); status != 0 {
		t.Fatalf("index: got status %d, %q on stderr", status, stderr)
	}
	if status, stdout, stderr := call(t, "records", "-q", dir); status != 0 || stdout != "one\ntwo\n" {
		t.Errorf("records: got status %d, %q, %q on stderr; want the two lines", status, stdout, stderr)
	}
	if status, stdout, _ := call(t, "profile", "-json", dir); status != 0 || !strings.Contains(stdout, `"delivered": 2`) {
		t.Errorf("profile: got status %d, %q; want two records", status, stdout)
	}
}

// A folder that holds nothing but indexes or folder markers holds nothing to read, to
// every verb that reads.
func TestNothingToRead(t *testing.T) {
	t.Parallel()
	dir := folder(t, [3]string{"a.gz.thawidx", "none", "x"})
	store := faultstore.New(nil)
	store.Add(faultstore.Item{Key: "m/sub/", Content: faultstore.Bytes("")})
	server, err := faultstore.Serve(store, simstore.Link{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	for _, verb := range []string{"cat", "records", "profile", "inspect", "index", "restore"} {
		bucket := "s3://" + faultstore.Bucket + "/m/?anonymous=true&region=r&use_path_style=true&endpoint=" + server.URL
		for _, what := range []string{dir, filepath.Join(dir, "*"), bucket} {
			if status, _, stderr := call(t, verb, "-q", what); status != 1 || !strings.Contains(stderr, "no object there") {
				t.Errorf("%s %s: got status %d, %q, want 1 and that nothing is there", verb, what, status, stderr)
			}
		}
	}
}
