package codec_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"runtime"
	"testing"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// TestHeldIsGranted: what a Decoder holds, the live heap, is never more than what it
// asked for, or what Requires says of a codec that does not ask; and what it asks for
// is never more than MaxMemory returns for the window that is allowed. Each object makes
// a Decoder hold the most: windows that grow by little, chunks that are stored in the
// most wasteful way, or are followed by larger ones.
func TestHeldIsGranted(t *testing.T) {
	const slop = 192 << 10 // small and fixed: the Decoder, its tables, the test
	for _, tc := range heldObjects() {
		c := lookup(t, tc.codec)
		var asked int64
		opts := &codec.Options{MaxWindow: tc.window, Grow: func(n int64) error { asked = max(asked, n); return nil }}
		base := liveHeap()
		src := &heapSource{r: tc.open()}
		d, err := c.NewReader(codec.NewInput(src, 16<<10), opts)
		if err != nil {
			t.Fatal(err)
		}
		p := make([]byte, 16<<10)
		for given := 0; err == nil; {
			var n int
			n, err = d.Read(p)
			if before := given; (before+n)>>20 != before>>20 {
				src.peak = max(src.peak, liveHeap())
			}
			given += n
			if held := int64(src.peak) - int64(base); held > asked+slop {
				t.Errorf("%s, %s: got %d bytes held, %d asked for", tc.codec, tc.why, held, asked)
				break
			}
		}
		if err != io.EOF && !tc.fails {
			t.Errorf("%s, %s: got %v", tc.codec, tc.why, err)
		}
		if c.MaxMemory == nil {
			t.Errorf("%s: no MaxMemory", tc.codec)
		} else if most := c.MaxMemory(tc.window); asked > most {
			t.Errorf("%s, %s: got %d bytes asked for, MaxMemory says %d", tc.codec, tc.why, asked, most)
		}
		d.Close()
	}
}

func liveHeap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// heapSource measures the live heap about once for each 256 KiB that it gives.
type heapSource struct {
	r    io.Reader
	n    int
	peak uint64
}

func (h *heapSource) Read(p []byte) (int, error) {
	n, err := h.r.Read(p)
	before := h.n >> 18
	if h.n += n; h.n>>18 != before || err != nil {
		h.peak = max(h.peak, liveHeap())
	}
	return n, err
}

// heldObject is an object that makes its Decoder hold much.
type heldObject struct {
	codec, why string
	window     int64 // allowed
	fails      bool  // it is refused or broken
	open       func() io.Reader
}

func heldObjects() []heldObject {
	const window = 8 << 20
	sequences := zstdBlocksOf(zstdOf(1<<20, false, corpus.NDJSONBytes(1, 100)))
	zeros := func(n int64) io.Reader { return io.LimitReader(zeroReader{}, n) }
	all := []heldObject{
		{"zstd", "windows that grow by an eighth", 17 << 20, false, func() io.Reader {
			var rs []io.Reader
			for _, descriptor := range []string{"\x6f", "\x70", "\x60"} { // 15, 16 and 4 MiB
				rs = append(rs, bytes.NewReader(frame(0, descriptor,
					bytes.Repeat(block(false, 1, 128<<10, "x"), 300), sequences)))
			}
			return io.MultiReader(rs...)
		}},
		{"snappy-block", "stored in the most wasteful way", window, true, func() io.Reader {
			return io.MultiReader(bytes.NewReader(binary.AppendUvarint(nil, window)), zeros(5*window))
		}},
		{"lz4-java", "a block of more than the window", 64 << 10, true, func() io.Reader { return lz4JavaZeros(32 << 20) }},
		{"lz4-java", "a block of the window", window, true, func() io.Reader { return lz4JavaZeros(window) }},
	}
	for _, name := range []string{"snappy-hadoop", "lz4-hadoop", "snappy-xerial"} {
		chunk := func(stored, decoded int64) io.Reader {
			var head []byte
			if name != "snappy-xerial" {
				head = binary.BigEndian.AppendUint32(nil, uint32(decoded))
			}
			head = binary.BigEndian.AppendUint32(head, uint32(stored))
			if name != "lz4-hadoop" {
				n := len(head)
				head = binary.AppendUvarint(head, uint64(decoded))
				stored -= int64(len(head) - n)
			}
			return io.MultiReader(bytes.NewReader(head), zeros(stored))
		}
		magic := bytes.NewReader
		head := ""
		if name == "snappy-xerial" {
			head = "\x82SNAPPY\x00\x00\x00\x00\x01\x00\x00\x00\x01"
		}
		all = append(all,
			heldObject{name, "a chunk stored in the most wasteful way", window, true, func() io.Reader {
				return io.MultiReader(magic([]byte(head)), chunk(5*window, window))
			}},
			heldObject{name, "a chunk as large as an encoder writes it", window, true, func() io.Reader {
				return io.MultiReader(magic([]byte(head)), chunk(window+window/6, window))
			}})
		if name != "lz4-hadoop" {
			all = append(all, heldObject{name, "chunks that grow", window, false, func() io.Reader {
				rs := []io.Reader{magic([]byte(head))}
				for _, n := range []int{6 << 20, 7 << 20, 8 << 20} {
					literal := snappyLiteral(n)
					h := []byte(nil)
					if name == "snappy-hadoop" {
						h = binary.BigEndian.AppendUint32(h, uint32(n))
					}
					h = binary.BigEndian.AppendUint32(h, uint32(len(literal)+n))
					rs = append(rs, bytes.NewReader(append(h, literal...)), zeros(int64(n)))
				}
				return io.MultiReader(rs...)
			}})
		}
	}
	return all
}

// snappyLiteral is a block of Snappy of one literal, without its n bytes.
func snappyLiteral(n int) []byte {
	b := append(binary.AppendUvarint(nil, uint64(n)), 63<<2)
	return binary.LittleEndian.AppendUint32(b, uint32(n-1))
}

// lz4JavaZeros is a block of zeros, which is not one of LZ4, that decodes to n bytes.
func lz4JavaZeros(n uint32) io.Reader {
	head := append([]byte("LZ4Block"), 0x2f)
	for _, v := range []uint32{n + n/6, n, 0} {
		head = binary.LittleEndian.AppendUint32(head, v)
	}
	return io.MultiReader(bytes.NewReader(head), io.LimitReader(zeroReader{}, int64(n+n/6)))
}

// zstdBlocksOf is a frame without its header.
func zstdBlocksOf(stored []byte) []byte {
	d := stored[4]
	n := 6 + [4]int{0, 2, 4, 8}[d>>6]
	if d>>5&1 == 1 && d>>6 > 0 {
		n--
	}
	return stored[n:]
}

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
