package codec_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/limits"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// Frame header descriptors.
const (
	hasChecksum   = 1 << 2
	reservedBit   = 1 << 3
	singleSegment = 1 << 5
	size8         = 3 << 6 // a content size of eight bytes
	dict4         = 3      // a dictionary id of four bytes
)

// frame joins a zstd magic, a header and blocks.
func frame(descriptor byte, fields string, blocks ...[]byte) []byte {
	header := append([]byte("\x28\xb5\x2f\xfd"), descriptor)
	return join(append(header, fields...), join(blocks...))
}

// block is a block of a type: 0 raw, 1 RLE, 2 compressed, 3 reserved.
func block(last bool, typ, size int, body string) []byte {
	v := size<<3 | typ<<1
	if last {
		v |= 1
	}
	return append([]byte{byte(v), byte(v >> 8), byte(v >> 16)}, body...)
}

func raw(data string) []byte { return block(true, 0, len(data), data) }

func u64(n uint64) string { return string(binary.LittleEndian.AppendUint64(nil, n)) }

// offset0 is a block of no literals and a sequence whose offset is one less than the
// first repeated one, 1: the codes of its table never change, and a bit follows.
const offset0 = "\x00\x01\x54\x00\x01\x00\x03"

// Window descriptors.
const (
	window1K   = "\x00"
	window128M = "\x88" // 10 + 17
	window2G   = "\xa8" // 10 + 21
	window2T   = "\xf8" // 10 + 31
)

func TestZstd(t *testing.T) {
	t.Parallel()
	whole := zst([]byte(text))
	badSum := bytes.Clone(whole)
	badSum[len(badSum)-1] ^= 1
	for _, tc := range []struct {
		why    string
		stored []byte
		data   string
		want   error
		says   string // part of the message
	}{
		{why: "raw block", stored: frame(0, window1K, raw("abc")), data: "abc"},
		{why: "run", stored: frame(0, window1K, block(true, 1, 5, "x")), data: "xxxxx"},
		{why: "no data", stored: frame(0, window1K, raw("")), data: ""},
		{why: "declared size", stored: frame(size8, window1K+u64(3), raw("abc")), data: "abc"},
		{why: "single segment", stored: frame(size8|singleSegment, u64(3), raw("abc")), data: "abc"},
		{why: "declared more", stored: frame(size8, window1K+u64(4), raw("abc")), data: "abc", want: codec.ErrCorrupt},
		{why: "declared less", stored: frame(size8, window1K+u64(2), raw("abc")), data: "ab", want: codec.ErrCorrupt},
		{why: "declared nothing", stored: frame(size8|singleSegment, u64(0), raw("abc")), data: "", want: codec.ErrCorrupt},
		{why: "wrong checksum", stored: badSum, data: text, want: codec.ErrChecksum},
		{why: "skippable frames around", stored: join(skippable(3), whole, skippable(0), whole, skippable(9)), data: text + text},
		{why: "skippable frames alone", stored: join(skippable(3), skippable(0)), data: ""},
		{why: "skippable frame cut", stored: join(whole, skippable(9)[:12]), data: text, want: io.ErrUnexpectedEOF},
		{why: "skippable frame of 4 GiB", stored: []byte("\x50\x2a\x4d\x18\xff\xff\xff\xffabc"), want: io.ErrUnexpectedEOF},
		{why: "reserved block type", stored: frame(0, window1K, block(false, 0, 3, "abc"), block(true, 3, 0, "")), data: "abc", want: codec.ErrCorrupt},
		{why: "reserved bit of the header", stored: frame(reservedBit, window1K, raw("abc")), want: codec.ErrCorrupt},
		{why: "block of more than 128 KiB", stored: frame(0, window128M, block(true, 1, 200_000, "x")), want: codec.ErrCorrupt},
		{why: "offset of 0, no checksum", stored: frame(0, window1K, block(false, 0, 4, "abcd"), block(true, 2, 7, offset0)), data: "abcd", want: codec.ErrCorrupt, says: "offset of 0"},
		{why: "no last block", stored: frame(0, window1K, block(false, 0, 3, "abc")), data: "abc", want: io.ErrUnexpectedEOF},
		{why: "checksum missing", stored: whole[:len(whole)-4], data: text, want: io.ErrUnexpectedEOF},
		{why: "junk behind", stored: join(whole, []byte("j")), data: text, want: codec.ErrTrailing},
		{why: "magic of gzip behind", stored: join(whole, gz(nil)), data: text, want: codec.ErrTrailing},
		{why: "half a magic behind", stored: join(whole, whole[:2]), data: text, want: io.ErrUnexpectedEOF},
		{why: "dictionary", stored: frame(dict4, window1K+"\x01\x02\x03\x04", raw("abc")), want: codec.ErrDictionary, says: "67305985"},
		{why: "dictionary 0 is none", stored: frame(dict4, window1K+"\x00\x00\x00\x00", raw("abc")), data: "abc"},
		{why: "v0.1", stored: []byte("\xfd\x2f\xb5\x1e\x00\x00"), want: codec.ErrUnsupported, says: "v0.1"},
		{why: "v0.5", stored: []byte("\x25\xb5\x2f\xfd\x00\x00"), want: codec.ErrUnsupported, says: "v0.5"},
		{why: "v0.7 behind", stored: join(whole, []byte("\x27\xb5\x2f\xfd\x00")), data: text, want: codec.ErrUnsupported, says: "v0.7"},
		{why: "declared size beyond sense", stored: frame(size8, window1K+u64(1<<63), raw("abc")), want: codec.ErrCorrupt},
		{why: "not zstd", stored: []byte(text), want: codec.ErrCorrupt},
		{why: "nothing", want: io.ErrUnexpectedEOF},
	} {
		t.Run(tc.why, func(t *testing.T) {
			t.Parallel()
			var got bytes.Buffer
			err := decodeTo(&got, lookup(t, "zstd"), tc.stored, nil)
			if got.String() != tc.data || !errors.Is(err, tc.want) {
				t.Errorf("got %q, %v; want %q, %v", got.String(), err, tc.data, tc.want)
			}
			if err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("got %v, want it to say %q", err, tc.says)
			}
		})
	}
}

// TestZstdWindow: what a header claims is refused or, where the frame is seen to
// need less, not allocated.
func TestZstdWindow(t *testing.T) {
	t.Parallel()
	zeros := make([]byte, 3<<20)
	w, err := zstd.NewWriter(nil, zstd.WithWindowSize(8<<20), zstd.WithEncoderCRC(false))
	if err != nil {
		t.Fatal(err)
	}
	long := w.EncodeAll(zeros, nil)
	endless := bytes.Repeat(block(false, 0, 99, strings.Repeat("x", 99)), 2000) // as far as is looked
	for _, tc := range []struct {
		why     string
		stored  []byte
		max     int64
		data    int
		needs   int64 // that Requires tells; 0: it tells an error
		refused int64 // the window that the LimitError names
	}{
		{why: "128 MiB for three bytes", stored: frame(0, window128M, raw("abc")), data: 3, needs: 128 << 10},
		{why: "2 GiB for three bytes", stored: frame(0, window2G, raw("abc")), data: 3, needs: 128 << 10},
		{why: "2 TiB, no end in sight", stored: frame(0, window2T, endless), needs: 2 << 40, refused: 2 << 40},
		{why: "2 GiB, declared to be little", stored: frame(size8, window2G+u64(3), raw("abc")), data: 3, needs: 128 << 10},
		{why: "2 GiB in one segment", stored: frame(size8|singleSegment, u64(2<<30), endless), needs: 2 << 30, refused: 2 << 30},
		{why: "as much as allowed", stored: long, max: 3 << 20, data: 3 << 20, needs: 3 << 20},
		{why: "more than allowed", stored: long, max: 1 << 20, needs: 3 << 20, refused: 3 << 20},
	} {
		t.Run(tc.why, func(t *testing.T) {
			c := lookup(t, "zstd")
			needs, err := c.Requires(tc.stored[:min(len(tc.stored), limits.Head)])
			if err != nil || needs.Window != tc.needs {
				t.Errorf("Requires: got window %d, %v; want %d", needs.Window, err, tc.needs)
			}
			var n counter
			err = decodeTo(&n, c, tc.stored, &codec.Options{MaxWindow: tc.max})
			var limit *codec.LimitError
			if errors.As(err, &limit) != (tc.refused > 0) || tc.refused > 0 && limit.Needed != tc.refused {
				t.Errorf("got %v, want a limit error that needs %d", err, tc.refused)
			}
			if int(n) != tc.data || tc.refused == 0 && err != nil {
				t.Errorf("got %d bytes, %v; want %d", n, err, tc.data)
			}
		})
	}
}

// counter counts what is written to it.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

func TestZstdDictionary(t *testing.T) {
	t.Parallel()
	history := corpus.NDJSONBytes(1, 20)
	dict, err := zstd.BuildDict(zstd.BuildDictOptions{
		ID: 7, Contents: [][]byte{corpus.NDJSONBytes(2, 20), corpus.NDJSONBytes(3, 20)}, History: history, Offsets: [3]int{1, 4, 8},
	})
	if err != nil {
		t.Fatal(err)
	}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderDict(dict))
	if err != nil {
		t.Fatal(err)
	}
	stored := join(w.EncodeAll([]byte(text), nil), zst([]byte(text)), w.EncodeAll([]byte(text), nil))
	c := lookup(t, "zstd")
	var got bytes.Buffer
	if err := decodeTo(&got, c, stored, &codec.Options{Dictionaries: [][]byte{dict}}); err != nil || got.String() != text+text+text {
		t.Errorf("got %d bytes, %v; want %d", got.Len(), err, 3*len(text))
	}
	got.Reset()
	if err := decodeTo(&got, c, stored, nil); !errors.Is(err, codec.ErrDictionary) || !strings.Contains(err.Error(), " 7") {
		t.Errorf("without the dictionary: got %v, want %v that names 7", err, codec.ErrDictionary)
	}
	if _, err := c.NewReader(bytes.NewReader(nil), &codec.Options{Dictionaries: [][]byte{dict[:20]}}); err == nil {
		t.Error("broken dictionary: got nil, want an error")
	}
}
