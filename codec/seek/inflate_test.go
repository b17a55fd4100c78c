//go:build (amd64 || arm64) && !thaw_klauspost

package seek_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/flate"

	"github.com/thaw-go/thaw/codec/seek"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// sources is Go source text, n bytes of the standard library and the tools, or as
// many MB as THAW_SOURCES_MB says: 96 is nearly all of it.
func sources(t testing.TB, n int) []byte {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("go is not installed")
	}
	if mb, err := strconv.Atoi(os.Getenv("THAW_SOURCES_MB")); err == nil {
		n = mb << 20
	}
	var text []byte
	err = filepath.WalkDir(filepath.Join(strings.TrimSpace(string(root)), "src"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		b, err := os.ReadFile(path)
		if text = append(text, b...); len(text) >= n {
			return fs.SkipAll
		}
		return err
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t.Skipf("the sources of Go are not there: %v", err)
	case err != nil || len(text) < 3<<20:
		t.Fatalf("the sources of Go: %d bytes, %v", len(text), err)
	}
	return text[:min(n, len(text))]
}

// TestIndexInflate: points inside of members, with their windows, of what several
// encoders make of source text.
func TestIndexInflate(t *testing.T) {
	t.Parallel()
	data := sources(t, 3<<20)
	encoders := map[string]func(t *testing.T) []byte{}
	for _, args := range [][]string{{"gzip", "-1"}, {"gzip", "-6"}, {"gzip", "-9"}, {"pigz", "-6", "-p", "2"}, {"igzip", "-1"}, {"libdeflate-gzip", "-6"}} {
		if _, err := exec.LookPath(args[0]); err != nil {
			continue
		}
		encoders["gzip by "+args[0]+args[1]] = func(t *testing.T) []byte {
			cmd := exec.CommandContext(t.Context(), args[0], append(args[1:], "-c")...)
			cmd.Stdin = bytes.NewReader(data)
			stored, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v: %v", args, err)
			}
			return stored
		}
	}
	level := func(data []byte, level int) []byte {
		return written(data, func(w io.Writer) io.WriteCloser {
			gw, _ := gzip.NewWriterLevel(w, level)
			return gw
		})
	}
	encoders["gzip by compress-1"] = func(*testing.T) []byte { return level(data, 1) }
	encoders["gzip stored"] = func(*testing.T) []byte { return level(data, 0) }
	encoders["zlib"] = func(*testing.T) []byte {
		return written(data, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })
	}
	encoders["deflate"] = func(*testing.T) []byte {
		return written(data, func(w io.Writer) io.WriteCloser {
			fw, _ := flate.NewWriter(w, 6)
			return fw
		})
	}
	for name, encode := range encoders {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			codec, _, _ := strings.Cut(name, " ")
			checkIndex(t, indexed{name, codec, encode(t), data, 1 << 20, len(data) * 2 / 3 >> 20, 64 << 20})
		})
	}
	// Encoders make dynamic, fixed and stored blocks of it.
	kinds := slices.Concat(corpus.NDJSONBytes(1, 4000), corpus.NoiseBytes(2, 1_200_000), make([]byte, 300_000), corpus.BinaryBytes(3, 1_200_000))
	objects := []indexed{{"blocks of all kinds", "gzip", gz(kinds), kinds, 1 << 20, 1, 0}}
	small, part := data[:1000], data[:3<<20]
	objects = append(objects, indexed{
		"members", "gzip", slices.Concat(gz(small), level(part, 6), make([]byte, 5), gz(kinds), gz(small)),
		slices.Concat(small, part, kinds, small), 1 << 20, 2, 0,
	})
	for _, o := range objects {
		t.Run(o.codec+" "+o.name, func(t *testing.T) {
			t.Parallel()
			checkIndex(t, o)
		})
	}
}

// TestIndexProof: a read that begins inside of a member and runs across its end
// verifies the checksum of the whole, whose first part the index holds.
func TestIndexProof(t *testing.T) {
	t.Parallel()
	data := sources(t, 3<<20)
	o := indexed{codec: "gzip", stored: gz(data), data: data}
	x := makeIndex(t, o, seek.IndexerOptions{Spacing: 1 << 20})
	p, err := x.Point(x.Len() - 1)
	if err != nil || p.State == nil {
		t.Fatalf("got %d bytes of state, %v, want a point inside of the member", len(p.State), err)
	}
	bad := bytes.Clone(o.stored)
	bad[len(bad)-8] ^= 1
	for _, tc := range []struct {
		stored []byte
		n      int64
		fails  bool
	}{{o.stored, x.Decoded - p.Decoded, false}, {bad, x.Decoded - p.Decoded, true}, {bad, 1000, false}} {
		r, err := seek.NewReaderAt(bytes.NewReader(tc.stored), x.Stored, x, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, tc.n)
		n, err := r.ReadAt(got, p.Decoded)
		if int64(n) != tc.n || (err != nil) != tc.fails || !bytes.Equal(got, data[p.Decoded:][:n]) {
			t.Errorf("got %d bytes, %v, want %d, an error %t", n, err, tc.n, tc.fails)
		}
		r.Close()
	}
}
