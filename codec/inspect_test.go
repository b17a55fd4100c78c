package codec_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/s2"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/limits"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/internal/testing/corpus/manifest"
)

// inspect inspects stored as the given codec.
func inspect(name string, stored []byte, opts codec.InspectOptions) (*codec.Info, error) {
	opts.Codec = name
	return codec.Inspect(bytes.NewReader(stored), int64(len(stored)), &opts)
}

// zstdSized is data as one zstd frame of raw blocks that declares its size.
func zstdSized(data string) []byte {
	sum := binary.LittleEndian.AppendUint32(nil, uint32(xxhash.Sum64String(data)))
	return frame(size8|hasChecksum, "\x50"+u64(uint64(len(data))), raw(data), sum)
}

// seekTable is a seek table of the Zstandard Seekable Format: pairs of stored and
// decoded sizes.
func seekTable(sizes ...uint32) []byte {
	var body []byte
	for _, n := range sizes {
		body = binary.LittleEndian.AppendUint32(body, n)
	}
	body = binary.LittleEndian.AppendUint32(body, uint32(len(sizes)/2))
	body = append(body, "\x00\xb1\xea\x92\x8f"...)
	return skippableFrame(0xe, string(body))
}

// pzstd is a frame as pzstd writes it, behind its size.
func pzstd(frame []byte) []byte {
	return join(skippableFrame(0, string(binary.LittleEndian.AppendUint32(nil, uint32(len(frame))))), frame)
}

func TestInspect(t *testing.T) {
	t.Parallel()
	member, block, sized := gz([]byte(text)), bgzf([]byte(text)), zstdSized(text)
	n, d := uint32(len(sized)), uint32(len(text))
	bare := frame(size8, "\x50"+u64(3), raw("abc"))
	size := int64(len(text))
	xzStream, lz := encodeXZ([]byte(text)), encodeLZIP([]byte(text))
	xerials := xerialStream([]byte(text), []byte(text))
	modern := handFrame(0x6c, 0x40, []byte(u64(uint64(size)))...).block(true, []byte(text), []byte(text)).end()
	linked, linkedData := linkedFrame([]byte(strings.Repeat(text, 40)), 100)
	legacy := join([]byte{2, 0x21, 0x4c, 0x18, byte(len(text) + 2), 0, 0, 0, 0xf0, byte(len(text) - 15)}, []byte(text))
	for _, tc := range []struct {
		why, codec string
		stored     []byte

		declared, members, blocks, skipped, units int64 // -1: not known
		variants                                  []string
		err                                       error
	}{
		{"plain", "none", []byte(text), size, 0, 0, 0, 1, nil, nil},
		{"nothing", "none", nil, 0, 0, 0, 0, -1, nil, nil},
		{"nothing of gzip", "gzip", nil, -1, -1, -1, 0, -1, nil, io.ErrUnexpectedEOF},
		{"gzip", "gzip", member, -1, -1, 0, 0, 1, nil, nil},
		{"gzip members", "gzip", join(member, member), -1, -1, 0, 0, 1, nil, nil},
		{"gzip cut in its header", "gzip", member[:9], -1, -1, -1, 0, -1, nil, io.ErrUnexpectedEOF},
		{"BGZF", "gzip", join(block, block, bgzf(nil)), 2 * size, 3, 0, 0, 3, []string{"bgzf"}, nil},
		{"BGZF, then gzip", "gzip", join(block, member), -1, -1, 0, 0, 2, []string{"bgzf"}, nil},
		{"BGZF, cut", "gzip", join(block, block[:40]), -1, 1, 0, 0, 1, []string{"bgzf"}, io.ErrUnexpectedEOF},
		{"no gzip", "gzip", []byte(text), -1, -1, -1, 0, -1, nil, codec.ErrCorrupt},
		{"zlib", "zlib", encodeZlib([]byte(text)), -1, -1, -1, 0, -1, nil, nil},
		{"zlib with a dictionary", "zlib", []byte("\x78\xbb\x01\x02\x03\x04"), -1, -1, -1, 0, -1, nil, codec.ErrDictionary},
		{"zstd", "zstd", sized, size, 1, 1, 0, 1, nil, nil},
		{"zstd frames", "zstd", join(skippable(2), sized, skippable(3), sized), 2 * size, 2, 2, 2, 2, []string{"multi-frame"}, nil},
		{"zstd, one of two sizes unknown", "zstd", join(sized, frame(0, window1K, raw("abc"))), -1, 2, 2, 0, 2, []string{"multi-frame"}, nil},
		{"zstd, cut in the second frame", "zstd", join(sized, sized[:n-5]), -1, 1, 1, 0, 1, nil, io.ErrUnexpectedEOF},
		{"zstd, junk", "zstd", join(sized, []byte("junk")), -1, 1, 1, 0, 1, nil, codec.ErrTrailing},
		{"zstd v0.7", "zstd", []byte("\x27\xb5\x2f\xfd\x00\x00\x00\x00"), -1, -1, -1, 0, -1, []string{"legacy v0.7"}, codec.ErrUnsupported},
		{"pzstd", "zstd", join(pzstd(sized), pzstd(sized)), 2 * size, 2, 2, 2, 2, []string{"pzstd", "multi-frame"}, nil},
		{"pzstd without checksums", "zstd", join(pzstd(bare), pzstd(bare)), 6, 2, 2, 2, 2, []string{"pzstd", "multi-frame"}, nil},
		{"pzstd, one size wrong", "zstd", join(pzstd(sized), skippableFrame(0, "1234"), sized), 2 * size, 2, 2, 2, 2, []string{"multi-frame"}, nil},
		{"seekable zstd", "zstd", join(sized, sized, seekTable(n, d, n, d)), 2 * size, 2, -1, 1, 2, []string{"seekable", "multi-frame"}, nil},
		{"seek table that does not add up", "zstd", join(sized, sized, seekTable(n, d, n+1, d)), 2 * size, 2, 2, 1, 2, []string{"seekable", "multi-frame"}, nil},
		{"seek table that gives another size", "zstd", join(sized, sized, seekTable(n, d, n, d+1)), 2 * size, 2, 2, 1, 2, []string{"seekable", "multi-frame"}, nil},
		{"seek table that shifts a frame", "zstd", join(sized, sized, seekTable(n-1, d, n+1, d)), 2 * size, 2, 2, 1, 2, []string{"seekable", "multi-frame"}, nil},
		{"seek table of 4 billion frames", "zstd", join(sized, skippableFrame(0xe, "\xff\xff\xff\xff\x00\xb1\xea\x92\x8f")), size, 1, 1, 1, 1, []string{"seekable"}, nil},
		{"lz4", "lz4", modern, size, 1, 1, 0, 1, []string{"independent blocks", "blocks of 64 KiB"}, nil},
		{"lz4, linked", "lz4", linked, -1, 1, int64(len(linkedData)) / 100, 0, 1, []string{"linked blocks", "blocks of 64 KiB"}, nil},
		{"lz4 legacy, then modern", "lz4", join(legacy, modern), -1, 2, 2, 0, 2, []string{"legacy", "independent blocks", "blocks of 64 KiB", "multi-frame"}, nil},
		{"lz4, cut in a block", "lz4", modern[:30], -1, 0, 0, 0, 0, nil, io.ErrUnexpectedEOF},
		{"lz4, junk", "lz4", join(modern, []byte("junk")), -1, 1, 1, 0, 1, []string{"independent blocks", "blocks of 64 KiB"}, codec.ErrTrailing},
		{"lz4-java", "lz4-java", lz4JavaStream(t, []byte(text), 64), size, 1, (size + 63) / 64, 0, -1, nil, nil},
		{"snappy", "snappy", snappyStream([]byte(text), 50), size, 1, (size + 49) / 50, 0, 1, nil, nil},
		{"snappy streams", "snappy", join(snappyStream([]byte(text), 500), chunk(0xfe, 1, 2), snappyStream([]byte(text), 500)), 2 * size, 2, 2, 1, 2, []string{"multi-stream"}, nil},
		{"s2 with an index", "s2", s2Stream([]byte(text), s2.WriterAddIndex()), size, 1, 1, 1, 1, []string{"s2 stream", "indexed"}, nil},
		{"snappy-xerial", "snappy-xerial", xerials, 2 * size, 1, 2, 0, -1, nil, nil},
		{"snappy-xerial, cut", "snappy-xerial", xerials[:len(xerials)-1], -1, 0, 1, 0, -1, nil, io.ErrUnexpectedEOF},
		{"snappy-hadoop", "snappy-hadoop", join(snappyHadoopBlock([]byte(text)), snappyHadoopBlock([]byte(text))), 2 * size, 2, 0, 0, 2, []string{"multi-block"}, nil},
		{"bzip2", "bzip2", encodeBzip2([]byte(text)), -1, -1, -1, 0, -1, nil, nil},
		{"xz", "xz", xzStream, size, 1, 1, 0, 1, nil, nil},
		{"xz streams", "xz", join(xzStream, make([]byte, 8), xzStream), 2 * size, 2, 2, 0, 2, []string{"multi-stream"}, nil},
		{"xz, cut", "xz", xzStream[:len(xzStream)-1], -1, 0, -1, 0, 0, nil, io.ErrUnexpectedEOF},
		{"lzip", "lzip", lz, size, 1, -1, 0, 1, nil, nil},
		{"lzip members", "lzip", join(lz, lz), 2 * size, 2, -1, 0, 2, []string{"multi-member"}, nil},
		{"lzip, junk", "lzip", join(lz, []byte("junk")), -1, -1, -1, 0, 1, nil, nil},
		{"lzma", "lzma", encodeLZMA([]byte(text)), -1, 1, -1, 0, -1, nil, nil},
		{"brotli", "brotli", encodeBrotli([]byte(text)), -1, -1, -1, 0, -1, nil, nil},
	} {
		t.Run(tc.why, func(t *testing.T) {
			t.Parallel()
			info, err := inspect(tc.codec, tc.stored, codec.InspectOptions{})
			if !errors.Is(err, tc.err) {
				t.Errorf("got error %v, want %v", err, tc.err)
			}
			if err != nil {
				checkTyped(t, err)
			}
			for _, f := range []struct {
				what      string
				got, want int64
			}{
				{"declared", info.Declared, tc.declared},
				{"members", info.Members.Count, tc.members},
				{"blocks", info.Blocks.Count, tc.blocks},
				{"skipped", info.Skipped.Count, tc.skipped},
				{"units", info.Units.Count, tc.units},
			} {
				if f.got != f.want {
					t.Errorf("got %s %d, want %d", f.what, f.got, f.want)
				}
			}
			if !slices.Equal(info.Variants, tc.variants) {
				t.Errorf("got variants %q, want %q", info.Variants, tc.variants)
			}
			if err == nil {
				checkInfo(t, tc.codec, tc.stored, info)
			}
		})
	}
}

// checkSize is how large the data of an object that is decoded for comparison may
// be.
const checkSize = 512 << 10

// checkInfo compares info with what decoding and Split say.
func checkInfo(t *testing.T, name string, stored []byte, info *codec.Info) {
	t.Helper()
	var data bytes.Buffer
	if decodeTo(&data, lookup(t, name), stored, &codec.Options{MaxDecoded: checkSize}) != nil {
		return
	}
	if n := int64(data.Len()); info.Declared >= 0 && info.Declared != n && len(info.Layers) == 1 {
		t.Errorf("got %d declared bytes, decoding gives %d", info.Declared, n)
	}
	full, err := inspect(name, stored, codec.InspectOptions{Decode: true})
	if err != nil || full.Decoded != int64(data.Len()) {
		t.Errorf("with Decode: got %d bytes, %v; want %d", full.Decoded, err, data.Len())
	}
	if full.Members.Count < 0 || info.Members.Count >= 0 && full.Members.Count != info.Members.Count {
		t.Errorf("got %d members by headers, %d by decoding", info.Members.Count, full.Members.Count)
	}
	for what, l := range map[string]codec.Parts{"member": full.Members, "unit": info.Units} {
		at, decoded := int64(0), int64(0)
		for _, p := range l.First {
			if what == "unit" && p.Offset != at || p.Offset < at {
				t.Errorf("%s at %d, the one before ends at %d", what, p.Offset, at)
			}
			if at = p.Offset + p.Size; p.Size < 0 {
				at = p.Offset
			}
			decoded += p.Decoded
			if p.Decoded < 0 || decoded < 0 {
				decoded = -1 << 40
			}
		}
		if l.Count == int64(len(l.First)) && l.Count > 0 && decoded >= 0 && decoded != int64(data.Len()) {
			t.Errorf("%ss decode to %d bytes, want %d", what, decoded, data.Len())
		}
		if what == "unit" && l.Count == int64(len(l.First)) && l.Count > 0 && at != int64(len(stored)) {
			t.Errorf("units end at %d, want %d", at, len(stored))
		}
	}
	if split := lookup(t, name).Split; split != nil && info.Units.Count >= 0 {
		count := int64(0)
		for u, err := range split(bytes.NewReader(stored), int64(len(stored))) {
			if err != nil {
				t.Fatalf("split: %v", err)
			}
			if count < int64(len(info.Units.First)) {
				if p := info.Units.First[count]; p.Offset != u.Offset || p.Size != u.Size || p.Decoded != u.Decoded {
					t.Errorf("got unit %+v, Split gives %+v", p, u)
				}
			}
			count++
		}
		if count != info.Units.Count {
			t.Errorf("got %d units, Split gives %d", info.Units.Count, count)
		}
	}
	// A reader that is allowed what the Info says can read the object.
	if err := decodeTo(io.Discard, lookup(t, name), stored, &codec.Options{MaxWindow: max(info.Window, 1), MaxDecoded: checkSize}); errors.Is(err, codec.ErrLimit) {
		t.Errorf("window %d: %v", info.Window, err)
	}
}

// TestInspectZstd: windows, checksums and dictionaries of frames.
func TestInspectZstd(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		why             string
		stored          []byte
		window, claimed int64
		dicts           []uint32
		sums            []string
	}{
		{"a window that is used", frame(0, "\x50", bytes.Repeat(block(false, 1, 1<<17, "x"), 9), raw("")), 1 << 20, 0, nil, nil},
		{"2 GiB claimed for three bytes", frame(0, window2G, raw("abc")), 128 << 10, 2 << 30, nil, nil},
		{"2 TiB claimed, the size declared", frame(size8, window2T+u64(3), raw("abc")), 128 << 10, 2 << 40, nil, nil},
		{"the second frame has the larger one", join(frame(0, window1K, raw("abc")), frame(0, "\x30", raw("abc"))), 64 << 10, 0, nil, nil},
		{"a dictionary", frame(dict4, window1K+"\x01\x02\x03\x04", raw("abc")), 1 << 10, 0, []uint32{0x04030201}, nil},
		{"a checksum", zstdSized(text), 128 << 10, 1 << 20, nil, []string{"xxh64"}},
	} {
		t.Run(tc.why, func(t *testing.T) {
			t.Parallel()
			info, err := inspect("", tc.stored, codec.InspectOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if info.Window != tc.window || info.Claimed != tc.claimed || info.Memory < info.Window {
				t.Errorf("got window %d, claimed %d, memory %d; want %d, %d", info.Window, info.Claimed, info.Memory, tc.window, tc.claimed)
			}
			if !slices.Equal(info.Dictionaries, tc.dicts) || !slices.Equal(info.Checksums, tc.sums) {
				t.Errorf("got dictionaries %d and checksums %q, want %d, %q", info.Dictionaries, info.Checksums, tc.dicts, tc.sums)
			}
		})
	}
}

// counted counts what is read.
type counted struct {
	r     io.ReaderAt
	bytes int64
	reads int64
}

func (c *counted) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.r.ReadAt(p, off)
	c.bytes += int64(n)
	c.reads++
	return n, err
}

// TestInspectReads: headers and ranges alone are read.
func TestInspectReads(t *testing.T) {
	t.Parallel()
	data := corpus.NDJSONBytes(1, 1000) // 240 KB
	noise := corpus.NoiseBytes(1, 4<<20)
	zframe := zst(noise)
	var seekable, bgzfs []byte
	var sizes []uint32
	for part := range slices.Chunk(noise, 64<<10) {
		f := zstdSized(string(part[:32<<10]))
		seekable = append(seekable, f...)
		sizes = append(sizes, uint32(len(f)), 32<<10)
		bgzfs = append(bgzfs, bgzf(part[:60<<10])...)
	}
	for _, tc := range []struct {
		why, codec string
		stored     []byte
		most       int64 // bytes read behind the head
	}{
		{"plain", "", noise, 0},
		{"gzip", "", gz(noise), 64},
		{"BGZF", "", bgzfs, 64 * 60},
		{"zstd", "", zframe, 33 * 100},
		{"seekable zstd", "", join(seekable, seekTable(sizes...)), 64*64 + 3*64*8 + 1000},
		{"lz4", "", lz4Frame(t, noise), 16 * 100},
		{"snappy", "", snappyStream(noise, 64<<10), 64 * 80},
		{"s2", "", s2Stream(noise), 64 * 80},
		{"snappy-hadoop", "snappy-hadoop", snappyHadoopBlock(noise), 200},
		{"xz", "", encodeXZ(data), 9000},
		{"lzip", "", encodeLZIP(data), 4200},
		{"bzip2", "", encodeBzip2(data[:60_000]), 0},
		{"lzma", "lzma", encodeLZMA(data), 0},
	} {
		t.Run(tc.why, func(t *testing.T) {
			t.Parallel()
			r := &counted{r: bytes.NewReader(tc.stored)}
			info, err := codec.Inspect(r, int64(len(tc.stored)), &codec.InspectOptions{Codec: tc.codec})
			if err != nil {
				t.Fatal(err)
			}
			if most := limits.Head + tc.most; r.bytes > most {
				t.Errorf("got %d bytes read in %d requests, want at most %d of %d", r.bytes, r.reads, most, len(tc.stored))
			}
			if info.Read != r.bytes || info.Requests != r.reads {
				t.Errorf("got Read %d in %d requests, want %d in %d", info.Read, info.Requests, r.bytes, r.reads)
			}
		})
	}
	t.Run("many small parts", func(t *testing.T) {
		t.Parallel()
		stored := frame(0, window1K, bytes.Repeat(block(false, 0, 0, ""), 100_000), raw(""))
		r := &counted{r: bytes.NewReader(stored)}
		info, err := codec.Inspect(r, int64(len(stored)), nil)
		if err != nil || info.Blocks.Count != 100_001 || len(info.Blocks.First) != 1000 {
			t.Fatalf("got %d blocks and %d of them, %v", info.Blocks.Count, len(info.Blocks.First), err)
		}
		if r.reads > 40 {
			t.Errorf("got %d requests for %d bytes, want few", r.reads, len(stored))
		}
	})
}

// TestInspectLimits: MaxRead ends an inspection without an error, and lists keep
// their first entries.
func TestInspectLimits(t *testing.T) {
	t.Parallel()
	sized := zstdSized(strings.Repeat(text, 30))
	stored := bytes.Repeat(sized, 50)
	info, err := codec.Inspect(bytes.NewReader(stored), int64(len(stored)), &codec.InspectOptions{MaxRead: limits.Head + 500, List: 3})
	if err != nil || len(info.Unknown) == 0 || info.Declared >= 0 || info.Read > limits.Head+500 {
		t.Errorf("got %v, unknown %q, declared %d, %d bytes read", err, info.Unknown, info.Declared, info.Read)
	}
	if len(info.Members.First) != 3 || info.Members.Count < 3 || info.Members.Count >= 50 {
		t.Errorf("got %d members, %d kept; want some, and 3", info.Members.Count, len(info.Members.First))
	}
	info, err = codec.Inspect(bytes.NewReader(gz(corpus.NoiseBytes(1, 1<<20))), 1<<20, &codec.InspectOptions{MaxRead: 100_000, Decode: true})
	if err != nil || len(info.Unknown) == 0 {
		t.Errorf("decoding: got %v, unknown %q; want a limit and no error", err, info.Unknown)
	}
}

// TestInspectDecode: decoding finds members, verifies, and goes through layers.
func TestInspectDecode(t *testing.T) {
	t.Parallel()
	member := gz([]byte(text))
	n, size := int64(len(member)), int64(len(text))
	info, err := inspect("", join(member, make([]byte, 5), member), codec.InspectOptions{Decode: true})
	if err != nil || info.Members.Count != 2 || info.Decoded != 2*size {
		t.Fatalf("got %d members, %d bytes, %v", info.Members.Count, info.Decoded, err)
	}
	if p := info.Members.First[1]; p.Offset+p.Size != 2*n+5 || p.Decoded != size {
		t.Errorf("got second member %+v", p)
	}
	member[n-1] ^= 1
	if info, err = inspect("", member, codec.InspectOptions{Decode: true}); !errors.Is(err, codec.ErrChecksum) || info.Decoded != size {
		t.Errorf("got %d bytes, %v; want %d, %v", info.Decoded, err, size, codec.ErrChecksum)
	}
	nested := gz(zstdSized(text))
	info, err = inspect("", nested, codec.InspectOptions{Key: "a.ndjson.zst", ContentEncoding: "gzip", Decode: true})
	if err != nil || len(info.Layers) != 2 || info.Layers[1].Codec != "zstd" || info.Layers[1].Window == 0 || info.Decoded != size {
		t.Errorf("got layers %+v, %d bytes, %v", info.Layers, info.Decoded, err)
	}
	many := bytes.Repeat(gz(nil), 1000)
	if info, err = inspect("", many, codec.InspectOptions{Decode: true}); err != nil || info.Members.Count != 1000 {
		t.Errorf("got %d empty members, %v; want 1000", info.Members.Count, err)
	}
}

// TestInspectOwn: a codec of one's own is inspected by its Requires and Split.
func TestInspectOwn(t *testing.T) {
	t.Parallel()
	r := codec.Default().Clone()
	own, _ := r.Lookup("none")
	own.Name, own.Extensions = "own", []string{".own"}
	own.Magic = nil
	own.Requires = func([]byte) (codec.Needs, error) { return codec.Needs{Window: 7, Memory: 9, Size: -1}, nil }
	r.Register(own)
	info, err := codec.Inspect(strings.NewReader(text), int64(len(text)), &codec.InspectOptions{Codecs: r, Key: "a.own", Decode: true})
	if err != nil || info.Detection.Codec != "own" || info.Window != 7 || info.Memory != 9 || info.Units.Count != 1 || info.Restart != "point" || info.Decoded != int64(len(text)) {
		t.Errorf("got %+v, %v", info, err)
	}
	if _, err := codec.Inspect(strings.NewReader(text), 5, &codec.InspectOptions{Codec: "nope"}); err == nil {
		t.Error("got no error for an unknown codec")
	}
	boom := errors.New("boom")
	if info, err := codec.Inspect(failing{boom}, 100, nil); !errors.Is(err, boom) || info == nil {
		t.Errorf("got %v, %v; want the source's error", info, err)
	}
}

type failing struct{ err error }

func (f failing) ReadAt([]byte, int64) (int, error) { return 0, f.err }

// TestInspectCorpus: what headers say of real files agrees with decoding, and
// nothing panics.
func TestInspectCorpus(t *testing.T) {
	t.Parallel()
	for _, f := range manifest.Files(t) {
		name := f.Format
		if n, ok := corpusCodecs[name]; ok {
			name = n
		}
		if c, err := codec.Default().Lookup(name); err != nil || c.Name == "none" {
			name = ""
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			stored, err := os.ReadFile(f.Path)
			if err != nil {
				t.Fatal(err)
			}
			info, err := inspect(name, stored, codec.InspectOptions{Key: f.Name})
			if err != nil {
				checkTyped(t, err)
			}
			checkText(t, info)
			if f.Size > checkSize {
				return
			}
			if name != "" && err == nil {
				checkInfo(t, name, stored, info)
			}
			if name != "" && err != nil && decodeTo(io.Discard, lookup(t, name), stored, &codec.Options{MaxDecoded: checkSize}) == nil {
				t.Errorf("got %v for a file that decodes", err)
			}
		})
	}
}

func FuzzInspect(f *testing.F) {
	sized := zstdSized(text)
	n, d := uint32(len(sized)), uint32(len(text))
	for name, stored := range map[string][]byte{
		"zstd": join(sized, sized, seekTable(n, d, n, d)), "gzip": join(bgzf([]byte(text)), gz([]byte(text))),
		"lz4": handFrame(0x6c, 0x40, []byte(u64(uint64(d)))...).block(true, []byte(text), []byte(text)).end(),
		"xz":  encodeXZ([]byte(text)), "lzip": encodeLZIP([]byte(text)), "lzma": encodeLZMA([]byte(text)),
		"snappy": snappyStream([]byte(text), 50), "s2": s2Stream([]byte(text), s2.WriterAddIndex()),
		"snappy-xerial": xerialStream([]byte(text)), "snappy-hadoop": snappyHadoopBlock([]byte(text)),
		"lz4-java": lz4JavaStream(f, []byte(text), 64), "bzip2": encodeBzip2([]byte(text)),
		"zlib": encodeZlib([]byte(text)), "brotli": encodeBrotli([]byte(text)), "none": []byte(text), "": sized,
	} {
		f.Add(name, stored)
	}
	f.Fuzz(func(t *testing.T, name string, stored []byte) {
		if _, err := codec.Default().Lookup(name); err != nil && name != "" {
			return
		}
		info, err := inspect(name, stored, codec.InspectOptions{})
		checkText(t, info)
		if err != nil {
			checkTyped(t, err)
			return
		}
		for _, l := range []codec.Parts{info.Members, info.Blocks, info.Skipped, info.Units} {
			if len(l.First) > 1000 || l.Largest > int64(len(stored)) {
				t.Errorf("got a list of %d, the largest of %d bytes", len(l.First), l.Largest)
			}
		}
		if name == "" || info.Window > 1<<20 {
			return
		}
		var data bytes.Buffer
		if decodeTo(&data, lookup(t, name), stored, &codec.Options{MaxDecoded: 1 << 20, MaxWindow: max(info.Window, 1)}) == nil &&
			info.Declared >= 0 && info.Declared != int64(data.Len()) {
			t.Errorf("got %d declared bytes, decoding gives %d", info.Declared, data.Len())
		}
	})
}
