package codec_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/limits"
)

// A frame to be skipped, which zstd and lz4 share, says nothing: what follows it
// does, wherever that is.
func TestDetectPastSkippable(t *testing.T) {
	t.Parallel()
	plain := []byte(text)
	lz4 := encoded(t, "lz4", plain)
	for _, tc := range []struct {
		why      string
		behind   []byte
		key      string
		want     string
		conflict bool
	}{
		{why: "zstd", behind: zst(plain), want: "zstd"},
		{why: "lz4", behind: lz4, want: "lz4"},
		{why: "zstd under the name of lz4", behind: zst(plain), key: "a.lz4", want: "zstd", conflict: true},
		{why: "lz4 under the name of zstd", behind: lz4, key: "a.zst", want: "lz4", conflict: true},
		{why: "gzip", behind: gz(plain), want: "none", conflict: true},
		{why: "text", behind: plain, want: "none", conflict: true},
		{why: "nothing", want: "zstd"},
		{why: "nothing under the name of lz4", key: "a.lz4", want: "lz4"},
		{why: "a magic of zstd cut short", behind: zst(plain)[:3], want: "zstd"},
		{why: "a magic of lz4 cut short", behind: lz4[:3], want: "lz4"},
		{why: "a frame cut short", behind: skippable(9)[:12], want: "zstd"},
	} {
		for _, sizes := range [][]int{{5}, {limits.Head - 8}, {limits.Head - 12}, {limits.Head}, {5000}, {1 << 20}, {3, 0, 9000, 70, 5000}} {
			stored := append(skippableOf(sizes...), tc.behind...)
			head := stored[:min(len(stored), limits.Head)]
			src := &countingAt{r: bytes.NewReader(stored)}
			d, err := codec.Default().Detect(head, len(head) == len(stored), codec.Hints{Key: tc.key, Stored: src})
			if err != nil || d.Codec != tc.want || len(d.Conflicts) > 0 != tc.conflict {
				t.Errorf("%s after frames of %v: got %+v, %v; want %s", tc.why, sizes, d, err, tc.want)
			}
			if src.reads > len(sizes)+1 || len(stored) <= limits.Head && src.reads > 0 {
				t.Errorf("%s after frames of %v: got %d reads", tc.why, sizes, src.reads)
			}
		}
	}
	// Without the object, or beyond what may be read, one of the two is assumed.
	stored := append(skippableOf(9000), lz4...)
	if d, err := codec.Default().Detect(stored[:limits.Head], false, codec.Hints{}); err != nil || d.Codec != "zstd" {
		t.Errorf("head alone: got %+v, %v; want zstd", d, err)
	}
	many := make([]int, 100)
	for i := range many {
		many[i] = 9000
	}
	stored = append(skippableOf(many...), lz4...)
	src := &countingAt{r: bytes.NewReader(stored)}
	if d, err := codec.Default().Detect(stored[:limits.Head], false, codec.Hints{Stored: src}); err != nil || d.Codec != "zstd" || src.reads != 16 {
		t.Errorf("many frames: got %+v, %v after %d reads; want zstd after 16", d, err, src.reads)
	}
	src = &countingAt{r: bytes.NewReader(nil), err: io.ErrClosedPipe}
	if _, err := codec.Default().Detect(stored[:limits.Head], false, codec.Hints{Stored: src}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a source that fails: got %v, want its error", err)
	}
}

// skippableOf is skippable frames of these sizes.
func skippableOf(sizes ...int) (b []byte) {
	for i, n := range sizes {
		b = append(b, 0x51+byte(i%8), 0x2a, 0x4d, 0x18)
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
		b = append(b, bytes.Repeat([]byte("s"), n)...)
	}
	return b
}

// countingAt counts reads, and fails with err if there is one.
type countingAt struct {
	r     io.ReaderAt
	err   error
	reads int
}

func (c *countingAt) ReadAt(p []byte, off int64) (int, error) {
	c.reads++
	if c.err != nil {
		return 0, c.err
	}
	return c.r.ReadAt(p, off)
}

// However many codecs a hint names, each layer is decoded once.
func TestDetectCost(t *testing.T) {
	t.Parallel()
	opened := 0
	r := codec.Default().Clone()
	gzip := lookup(t, "gzip")
	open := gzip.NewReader
	gzip.NewReader = func(src io.Reader, opts *codec.Options) (codec.Decoder, error) {
		opened++
		return open(src, opts)
	}
	r.Register(gzip)
	for why, h := range map[string]codec.Hints{
		"extensions":           {Key: "a" + strings.Repeat(".gz", 250)},
		"other extensions":     {Key: "a" + strings.Repeat(".zst.bz2", 120) + ".gz"},
		"encodings":            {ContentEncoding: strings.Repeat("gzip,", 800)},
		"other encodings":      {ContentEncoding: strings.Repeat("br,zstd,deflate,", 800) + "gzip"},
		"encodings and a name": {ContentEncoding: strings.Repeat("zstd,gzip,", 800), Key: "a" + strings.Repeat(".bz2.gz", 100)},
	} {
		stored := []byte(text)
		for range 3 {
			stored = gz(stored)
			opened = 0
			d, err := r.Detect(stored, true, h)
			if err != nil || d.Codec != "gzip" {
				t.Errorf("%s: got %+v, %v; want gzip", why, d, err)
			}
			// Each layer is decoded through those around it.
			if most := limits.Layers * (limits.Layers + 1) / 2; opened > most || len(d.Conflicts) > 4*limits.Layers {
				t.Errorf("%s: got %d layers opened and %d conflicts, want %d and %d at most", why, opened, len(d.Conflicts), most, 4*limits.Layers)
			}
		}
	}
}

// Several layers can be asked for.
func TestDetectLayersChosen(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		choice, key string
		inner       []string
		conflict    bool
		err         error
	}{
		{choice: "gzip"},
		{choice: "gzip,gzip", inner: []string{"gzip"}},
		{choice: "gzip, zstd", inner: []string{"zstd"}},
		{choice: "gzip,zstd,none", key: "a.zst", inner: []string{"zstd", "none"}},
		{choice: "gzip,gzip", key: "a.zst", inner: []string{"gzip"}, conflict: true},
		{choice: "gzip,gzip,gzip,gzip,gzip", err: codec.ErrLimit},
		{choice: "gzip,", err: codec.ErrUnsupported},
		{choice: "gzip,nothing", err: codec.ErrUnsupported},
	} {
		d, err := codec.Default().Detect(gz([]byte(text)), true, codec.Hints{Codec: tc.choice, Key: tc.key})
		if !errors.Is(err, tc.err) {
			t.Errorf("%s: got %v, want %v", tc.choice, err, tc.err)
		}
		if err == nil && (d.Codec != "gzip" || d.Evidence != codec.ByChoice || strings.Join(d.Inner, "+") != strings.Join(tc.inner, "+") || len(d.Conflicts) > 0 != tc.conflict) {
			t.Errorf("%s of %s: got %+v", tc.choice, tc.key, d)
		}
	}
	dec, err := codec.Default().Open(bytes.NewReader(gz(gz([]byte(text)))), codec.Detection{Codec: "gzip", Inner: []string{"gzip"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(dec); err != nil || string(got) != text {
		t.Errorf("got %q, %v; want %q", got, err, text)
	}
}
