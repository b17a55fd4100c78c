package codec_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/limits"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// zstdOf is data as a frame with a window, whose size is not declared.
func zstdOf(window int, proven bool, data []byte) []byte {
	return written(data, func(w io.Writer) io.WriteCloser {
		zw, err := zstd.NewWriter(w, zstd.WithWindowSize(window), zstd.WithEncoderCRC(proven),
			zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
		if err != nil {
			panic(err)
		}
		return zw
	})
}

// lzipOf is a member whose header states a dictionary of 1<<log bytes.
func lzipOf(log byte, data []byte) []byte {
	b := lzipMember(1, data)
	b[5] = log
	return b
}

// xzOf is one stream of the only blocks of streams.
func xzOf(streams ...[]byte) []byte {
	out := bytes.Clone(streams[0][:12])
	index := binary.AppendUvarint([]byte{0}, uint64(len(streams)))
	for _, s := range streams {
		footer := len(s) - 12
		size := int(binary.LittleEndian.Uint32(s[footer+4:])+1) * 4
		record := s[footer-size+2 : footer-4] // behind the number of records
		for range 2 {
			_, n := binary.Uvarint(record)
			index = append(index, record[:n]...)
			record = record[n:]
		}
		out = append(out, s[12:footer-size]...)
	}
	for len(index)%4 != 0 {
		index = append(index, 0)
	}
	index = append(index, crc32Of(index)...)
	tail := binary.LittleEndian.AppendUint32(nil, uint32(len(index)/4-1))
	tail = append(tail, streams[0][6:8]...)
	return join(out, index, crc32Of(tail), tail, []byte("YZ"))
}

// growing are objects whose parts state a small, a large and a small window.
func growing(t testing.TB) map[string][][]byte {
	few, many := corpus.NDJSONBytes(1, 2000), corpus.NoiseBytes(2, 3<<20)
	xzDict := func(dict int) []byte { return xzWith(xz.WriterConfig{DictCap: dict}, few) }
	lz4Max := func(max lz4.BlockSize, data []byte) []byte { return lz4Frame(t, data, lz4.BlockSizeOption(max)) }
	return map[string][][]byte{
		"zstd":        {zstdOf(256<<10, true, few), zstdOf(2<<20, true, many), zstdOf(256<<10, true, few)},
		"zstd strict": {zstdOf(256<<10, false, few), zstdOf(2<<20, false, many), zstdOf(256<<10, false, few)},
		"zstd both":   {zstdOf(256<<10, true, few), zstdOf(2<<20, false, many), zstdOf(2<<20, true, many)},
		"xz":          {xzDict(64 << 10), xzDict(1 << 20), xzDict(64 << 10)},
		"lzip":        {lzipOf(16, few), lzipOf(20, few), lzipOf(16, few)},
		"lz4":         {lz4Max(lz4.Block64Kb, few), lz4Max(lz4.Block4Mb, many), lz4Max(lz4.Block64Kb, few)},
		"bzip2":       {corpus.Bzip2{Level: 1}.Encode(few), corpus.Bzip2{Level: 9}.Encode(few), corpus.Bzip2{Level: 1}.Encode(few)},
	}
}

// TestGrow: the memory of each part is asked for before it is read, once and with
// the figure that Requires has for the part alone. A refusal comes behind the data
// before.
func TestGrow(t *testing.T) {
	t.Parallel()
	for why, parts := range growing(t) {
		name := why[:min(len(why), 4)]
		if _, err := codec.Default().Lookup(name); err != nil {
			name = why
		}
		c := lookup(t, name)
		need := func(part []byte) int64 {
			n, err := c.Requires(part[:min(len(part), limits.Head)])
			if err != nil {
				t.Fatal(err)
			}
			return n.Memory
		}
		object := join(parts...)
		want := []int64{need(parts[0]), need(parts[1])}
		if why == "xz" {
			testGrow(t, "xz blocks", c, xzOf(parts...), want, len(parts[0]))
		}
		testGrow(t, why, c, object, want, len(parts[0]))
		if most := c.MaxMemory(2 << 20); most < want[1] {
			t.Errorf("%s: got %d bytes for windows of 2 MiB, a part needs %d", why, most, want[1])
		}
	}
}

func testGrow(t *testing.T, why string, c codec.Codec, object []byte, want []int64, first int) {
	var got []int64
	var at []int64 // decoded bytes that were given by then
	refuse := errors.New("refused")
	decode := func(limit int64) ([]byte, error) {
		var out bytes.Buffer
		got, at = nil, nil
		d, err := c.NewReader(bytes.NewReader(object), &codec.Options{Grow: func(memory int64) error {
			if memory > limit {
				return refuse
			}
			got, at = append(got, memory), append(at, int64(out.Len()))
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		_, err = io.Copy(&out, d)
		return out.Bytes(), err
	}
	all, err := decode(1 << 40)
	if err != nil || !slices.Equal(got, want) || at[0] != 0 {
		t.Errorf("%s: got %v asked for at %v and %v, want %v", why, got, at, err, want)
		return
	}
	before := at[1]
	some, err := decode(want[1] - 1)
	var e *codec.Error
	if !errors.Is(err, refuse) || !errors.As(err, &e) || e.DecodedOffset != int64(len(some)) || !bytes.HasPrefix(all, some) {
		t.Errorf("%s, refused: got %d bytes and %v, want the refusal behind the data before", why, len(some), err)
	}
	if int64(len(some)) < before || len(some) == 0 {
		t.Errorf("%s, refused: got %d bytes, want the %d before", why, len(some), before)
	}
	if none, err := decode(want[0] - 1); !errors.Is(err, refuse) || len(none) != 0 {
		t.Errorf("%s, refused at once: got %d bytes and %v", why, len(none), err)
	}
}

// TestGrowOfOneWindow: an object with one window needs what Requires says, and one
// with a fixed need asks for nothing.
func TestGrowOfOneWindow(t *testing.T) {
	t.Parallel()
	data := corpus.NDJSONBytes(3, 5000)
	for name, stored := range map[string][]byte{
		"gzip": gz(data), "zlib": encodeZlib(data), "brotli": encodeBrotli(data), "lzma": encodeLZMA(data),
		"zstd": zstdOf(1<<20, true, data), "none": data, "lz4": lz4Frame(t, data),
		"s2": s2Stream(data, s2.WriterBlockSize(1<<20)), "snappy-block": s2.EncodeSnappy(nil, data),
	} {
		c := lookup(t, name)
		needs, err := c.Requires(stored[:limits.Head])
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		in := codec.NewInput(bytes.NewReader(stored), 0)
		if _, err := in.Peek(limits.Head); err != nil {
			t.Fatal(err)
		}
		d, err := c.NewReader(in, &codec.Options{Grow: func(n int64) error { got = append(got, n); return nil }})
		if err != nil {
			t.Fatal(err)
		}
		if out, err := io.ReadAll(d); err != nil || !bytes.Equal(out, data) {
			t.Errorf("%s: got %d bytes and %v, want %d", name, len(out), err, len(data))
		}
		fixed := slices.Contains([]string{"gzip", "zlib", "none"}, name)
		if fixed != (len(got) == 0) || !fixed && got[len(got)-1] > needs.Memory {
			t.Errorf("%s: got %v asked for, Requires says %d", name, got, needs.Memory)
		}
		d.Close()
	}
}

// TestGrowOfLayers: layers add up, with the buffers between them, and those of
// fixed need count from the beginning.
func TestGrowOfLayers(t *testing.T) {
	t.Parallel()
	parts := growing(t)["zstd"]
	inner := join(parts...)
	var got []int64
	opts := &codec.Options{Grow: func(n int64) error { got = append(got, n); return nil }}
	for _, tc := range []struct {
		outer  string
		stored []byte
		base   int64
	}{
		{"gzip", gz(inner), 384<<10 + 128<<10},
		{"zstd", zstdOf(128<<10, false, inner), 128<<10 + 1<<20 + 128<<10},
	} {
		got = nil
		d, err := codec.Default().Open(bytes.NewReader(tc.stored), codec.Detection{Codec: tc.outer, Inner: []string{"zstd"}}, opts)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, d); err != nil {
			t.Errorf("%s: %v", tc.outer, err)
		}
		want := tc.base + 2<<20 + 2<<20/64 + 1<<20
		if !slices.IsSorted(got) || got[len(got)-1] != want {
			t.Errorf("%s around zstd: got %v asked for, want up to %d", tc.outer, got, want)
		}
		d.Close()
	}
	refuse := errors.New("refused")
	opts.Grow = func(int64) error { return refuse }
	if _, err := codec.Default().Open(bytes.NewReader(nil), codec.Detection{Codec: "gzip", Inner: []string{"zstd"}}, opts); !errors.Is(err, refuse) {
		t.Errorf("Open: got %v, want the refusal", err)
	}
}
