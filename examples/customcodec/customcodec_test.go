package main

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/codec/codectest"
	"github.com/thaw-go/thaw/codec/seek"
)

func TestRuns(t *testing.T) {
	t.Parallel()
	codectest.Run(t, runs(), codectest.Format{Encode: encode, Concatenates: true, Checksummed: true})
}

// TestInspect: what Scan finds is listed, and units are made of it.
func TestInspect(t *testing.T) {
	t.Parallel()
	codecs := codec.Default().Clone()
	codecs.Register(runs())
	stored := append(encode([]byte("aaaa\nbb")), encode([]byte("bb\n"))...)
	info, err := codec.Inspect(bytes.NewReader(stored), int64(len(stored)), &codec.InspectOptions{Codecs: codecs})
	if err != nil || info.Members.Count != 2 || info.Units.Count != 2 || info.Declared != 10 {
		t.Errorf("got %d members, %d units, %d bytes, %v; want 2, 2, 10", info.Members.Count, info.Units.Count, info.Declared, err)
	}
	c, _ := codecs.Lookup("runs")
	units := 0
	for _, err := range c.Split(bytes.NewReader(stored), int64(len(stored))) {
		if err != nil {
			t.Fatal(err)
		}
		units++
	}
	if units != 2 {
		t.Errorf("got %d units, want 2", units)
	}
}

// TestIndex: decoding begins at any member, so that an index reaches into an object.
func TestIndex(t *testing.T) {
	t.Parallel()
	codecs := codec.Default().Clone()
	codecs.Register(runs())
	data := bytes.Repeat([]byte("ice\n"), 10_000)
	var stored []byte
	for part := range slices.Chunk(data, 10_000) {
		stored = append(stored, encode(part)...)
	}
	d, err := runs().NewReader(bytes.NewReader(stored), new(codec.Options))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	ix, err := seek.NewIndexer(d, "runs", &seek.IndexerOptions{Spacing: 5000})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, ix); err != nil {
		t.Fatal(err)
	}
	x, err := ix.Index()
	if err != nil || x.Len() != 3 {
		t.Fatalf("got %v, %d points; want 3", err, x.Len())
	}
	r, err := seek.NewReaderAt(bytes.NewReader(stored), int64(len(stored)), x, &seek.Options{Codecs: codecs})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p := make([]byte, 3)
	if _, err := r.ReadAt(p, 30_005); err != nil || string(p) != "ce\n" {
		t.Errorf("got %q, %v, want the end of a line", p, err)
	}
}

// encode makes one member.
func encode(data []byte) []byte {
	stored := []byte(magic)
	for rest := data; len(rest) > 0; {
		n := 1
		for n < len(rest) && n < 255 && rest[n] == rest[0] {
			n++
		}
		stored = append(stored, byte(n), rest[0])
		rest = rest[n:]
	}
	return binary.LittleEndian.AppendUint32(append(stored, 0), crc32.ChecksumIEEE(data))
}

func TestRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	two := append(encode([]byte("aaaa\nbb")), encode([]byte("bb\n"))...)
	for name, stored := range map[string][]byte{
		"a.txt.runs": two,
		"b":          two, // found by its magic
		"c.txt":      []byte("plain\n"),
		"cut.runs":   two[:len(two)-1],
		"bad.runs":   bytes.Replace(two, []byte{4, 'a'}, []byte{4, 'c'}, 1),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), stored, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name, what     string
		status         int
		stdout, stderr string
	}{
		{"by extension", "a.txt.runs", 0, "a.txt.runs 0 \"aaaa\"\na.txt.runs 1 \"bbbb\"\n", ""},
		{"by magic", "b", 0, "b 0 \"aaaa\"\nb 1 \"bbbb\"\n", ""},
		{"plain", "c.txt", 0, "c.txt 0 \"plain\"\n", ""},
		{"cut", "cut.runs", 1, "cut.runs 0 \"aaaa\"\ncut.runs 1 \"bbbb\"\n", "unexpected EOF"},
		{"damaged", "bad.runs", 1, "bad.runs 0 \"cccc\"\n", "checksum"},
		{"no match", "*.xz", 1, "", "no object"},
	} {
		var stdout, stderr bytes.Buffer
		status := run(t.Context(), []string{filepath.Join(dir, tt.what)}, &stdout, &stderr)
		if status != tt.status || stdout.String() != tt.stdout || !strings.Contains(stderr.String(), tt.stderr) || status == 0 && stderr.Len() > 0 {
			t.Errorf("%s: got status %d, %q, %q on stderr, want %d, %q, %q", tt.name, status, stdout.String(), stderr.String(), tt.status, tt.stdout, tt.stderr)
		}
	}
	for want, args := range map[int][]string{0: {"-h"}, 2: nil} {
		var stdout bytes.Buffer
		if status := run(t.Context(), args, &stdout, &bytes.Buffer{}); status != want || strings.HasPrefix(stdout.String(), "usage: customcodec ") != (want == 0) {
			t.Errorf("%v: got status %d, %q, want %d", args, status, stdout.String(), want)
		}
	}
}
