package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/blob/simstore"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
)

// The flags that a hint prints are enough: with them the limit strikes no more,
// whatever the codec takes beside its window and whatever -memory was.
func TestHintAboutWindowsHolds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, tt := range []struct {
		codec, stored string
		args          []string
	}{
		{"zstd", string(wideFrame(70)), []string{"-memory", "16MiB"}},
		{"zstd", string(wideFrame(70)), []string{"-max-window", "1MB"}},
		{"lzma", lzmaHeader(256 << 20), nil},
		{"lzma", lzmaHeader(16 << 20), []string{"-memory", "16MiB"}},
		{"lzma", lzmaHeader(16<<20 + 1), []string{"-memory", "32MiB"}},
		{"brotli", "\x3f", []string{"-memory", "16MiB"}}, // nothing, in a window of 16 MiB
		{"brotli", "\x3f", []string{"-memory", "32MiB"}}, // the window fits, what is beside it does not
		{"snappy-block", string(binary.AppendUvarint(nil, 32<<20)), []string{"-memory", "32MiB"}},
	} {
		name := filepath.Join(dir, "object")
		write(t, name, tt.stored)
		for _, verb := range []string{"cat", "records", "index"} {
			args := append([]string{verb, "-q", "-codec", tt.codec}, tt.args...)
			status, _, stderr := call(t, append(args, name)...)
			_, flags, ok := strings.Cut(stderr, "allow more: ")
			if verb == "index" && !ok {
				continue // it has no budget, so that less strikes
			}
			if status != 1 || !ok {
				t.Errorf("%s %v: got status %d, %q, want 1 and what to allow", tt.codec, args, status, stderr)
				continue
			}
			args = append(args, strings.Fields(flags)...) // the last of two holds
			if _, _, stderr := call(t, append(args, name)...); strings.Contains(stderr, "limit exceeded") {
				t.Errorf("%v, as was advised: got %q, want no limit", args, stderr)
			}
		}
	}
}

// lzmaHeader begins a file of the lzma format with a dictionary of so many bytes.
func lzmaHeader(dictionary uint32) string {
	h := binary.LittleEndian.AppendUint32([]byte{0x5d}, dictionary)
	return string(append(h, bytes.Repeat([]byte{0xff}, 8)...)) + "\x00\x00\x00\x00\x00"
}

// spoilFile changes a file.
func spoilFile(t *testing.T, path string, change func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, string(change(b)))
}

// Whatever decodes tells a fault in the same words.
func TestErrorsHaveOneFormat(t *testing.T) {
	t.Parallel()
	data := string(corpus.NDJSONBytes(1, 20000))
	dir := folder(t, [3]string{"cut.gz", "gzip", data}, [3]string{"flipped.gz", "gzip", data})
	for name, spoil := range map[string]func([]byte) []byte{
		"cut.gz":     func(b []byte) []byte { return b[:len(b)-4000] },
		"flipped.gz": func(b []byte) []byte { b[len(b)-8] ^= 1; return b },
	} {
		path := filepath.Join(dir, name)
		spoilFile(t, path, spoil)
		_, _, want := call(t, "cat", path)
		_, want, ok := strings.Cut(want, "thaw cat: "+path)
		want, _, _ = strings.Cut(want, "\n")
		if !ok || !strings.Contains(want, "at stored offset ") {
			t.Fatalf("%s: cat says %q", name, want)
		}
		for _, args := range [][]string{{"index"}, {"inspect", "-decode"}, {"cat", "-offset", "10"}, {"inspect", "-decode", "-json"}} {
			status, stdout, stderr := call(t, append(args, path)...)
			line := fmt.Sprintf("thaw %s: %s%s\n", args[0], path, want)
			if status != 1 || !strings.Contains(stderr, line) {
				t.Errorf("%v: got status %d, %q, want 1, %q", args, status, stderr, line)
			}
			if args[len(args)-1] == "-json" && !strings.Contains(stdout, fmt.Sprintf(`"error":"%s%s"`, path, want)) {
				t.Errorf("%v: got %q, want the error in it", args, stdout)
			}
		}
	}
}

// So does a fault of the store.
func TestStoreErrorsHaveOneFormat(t *testing.T) {
	t.Parallel()
	store := faultstore.New(nil)
	store.Add(faultstore.Item{Key: "cold/a.gz", Content: faultstore.Bytes("a"), StorageClass: "GLACIER", Archived: true})
	server, err := faultstore.Serve(store, simstore.Link{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	query := "?anonymous=true&endpoint=" + server.URL + "&region=r&use_path_style=true"
	name := "s3://" + faultstore.Bucket + "/cold/a.gz" + query
	for _, verb := range []string{"cat", "records", "index", "inspect", "profile"} {
		status, _, stderr := call(t, verb, "-q", "s3://"+faultstore.Bucket+"/cold/"+query)
		want := "thaw " + verb + ": " + name + ": object is archived"
		if status != 1 || !strings.HasPrefix(stderr, want) || !strings.Contains(stderr, "thaw restore -request WHAT") {
			t.Errorf("%s: got status %d, %q, want 1, %q and what to do", verb, status, stderr, want)
		}
	}
}
