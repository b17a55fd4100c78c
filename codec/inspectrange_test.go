package codec_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// TestInspectRange: with a Range, an object costs requests by its size and not by its
// parts, and what is found is the same.
func TestInspectRange(t *testing.T) {
	t.Parallel()
	noise := corpus.NoiseBytes(1, 3<<20)
	var frames, seekable, blocks, members []byte
	var sizes []uint32
	for part := range slices.Chunk(noise, 48<<10) {
		f := zstdSized(string(part))
		frames = append(frames, zst(part)...)
		seekable = append(seekable, f...)
		sizes = append(sizes, uint32(len(f)), uint32(len(part)))
		blocks = append(blocks, bgzf(part)...)
	}
	for part := range slices.Chunk(noise[:1<<20], 16<<10) {
		members = append(members, encodeLZIP(part)...)
	}
	for _, tc := range []struct {
		codec, why string
		stored     []byte
	}{
		{"zstd", "blocks", zst(noise)},
		{"zstd", "frames", frames},
		{"zstd", "seek table", join(seekable, seekTable(sizes...))},
		{"gzip", "BGZF", blocks},
		{"lz4", "blocks", lz4Frame(t, noise, lz4.BlockSizeOption(lz4.Block64Kb))},
		{"lz4-java", "blocks", lz4JavaStream(t, noise, 32<<10)},
		{"snappy", "chunks", snappyStream(noise, 64<<10)},
		{"s2", "chunks", s2Stream(noise)},
		{"snappy-xerial", "chunks", xerialStream(slices.Collect(slices.Chunk(noise, 32<<10))...)},
		{"snappy-hadoop", "chunks", snappyHadoopBlock(slices.Collect(slices.Chunk(noise, 32<<10))...)},
		{"xz", "blocks", xzWith(xz.WriterConfig{BlockSize: 32 << 10, DictCap: 64 << 10}, noise[:1<<20])},
		{"lzip", "members", members},
		{"none", "bytes", noise},
	} {
		t.Run(tc.codec+" "+tc.why, func(t *testing.T) {
			t.Parallel()
			size := int64(len(tc.stored))
			plain, err := inspect(tc.codec, tc.stored, codec.InspectOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range []int64{64 << 10, 256 << 10, 1 << 20} {
				src := &counted{r: bytes.NewReader(tc.stored)}
				info, err := codec.Inspect(src, size, &codec.InspectOptions{Codec: tc.codec, Range: r})
				if err != nil {
					t.Fatal(err)
				}
				// An index or a trailer at the end is read before what it names.
				if most := 2*((size+r-1)/r) + 4; src.reads > most {
					t.Errorf("ranges of %d: got %d requests for %d bytes, want at most %d", r, src.reads, size, most)
				}
				if info.Members.Count != plain.Members.Count || info.Units.Count != plain.Units.Count || info.Declared != plain.Declared {
					t.Errorf("ranges of %d: got other parts", r)
				}
			}
		})
	}
}

// TestInspectLargest: decoding corrects what the first header says of a reader.
func TestInspectLargest(t *testing.T) {
	t.Parallel()
	data := corpus.NDJSONBytes(1, 40)
	for _, tc := range []struct {
		codec, why string
		stored     []byte
		window     int64
	}{
		{"bzip2", "level 3, then 9", join(corpus.Bzip2{Level: 3}.Encode(data), corpus.Bzip2{Level: 9}.Encode(data)), 900_000},
		{"lzip", "members of version 0", join(lzipMember(0, data), lzipMember(0, data)), 64 << 10},
		{"lz4-hadoop", "chunks", lz4HadoopBlock(t, data, data[:100]), int64(len(data))},
	} {
		info, err := inspect(tc.codec, tc.stored, codec.InspectOptions{Decode: true})
		if err != nil || info.Window != tc.window || info.Memory < tc.window {
			t.Errorf("%s, %s: got window %d, memory %d, %v; want %d", tc.codec, tc.why, info.Window, info.Memory, err, tc.window)
		}
	}
}
