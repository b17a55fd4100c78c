package codec_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"hash/adler32"
	"hash/crc32"
	"io"
	"slices"
	"testing"

	"github.com/klauspost/compress/flate"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/decode/inflate"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// blocksOfAllKinds is data that encoders make dynamic, fixed and stored blocks of.
func blocksOfAllKinds() []byte {
	return slices.Concat(corpus.NDJSONBytes(1, 4000), corpus.NoiseBytes(2, 1_200_000), make([]byte, 300_000), corpus.BinaryBytes(3, 1_200_000))
}

// inflateState is a restart state as package codec writes it.
func inflateState(format byte, bit uint8, summed bool, sum uint32, size int64, window []byte) []byte {
	s := []byte{1, format, bit}
	if summed {
		s[2] |= 0x80
	}
	s = binary.LittleEndian.AppendUint32(s, sum)
	s = binary.LittleEndian.AppendUint64(s, uint64(size))
	return append(s, window...)
}

// TestInflateResume begins at a block border with a state made here. Checksums go
// on from those of the data before.
func TestInflateResume(t *testing.T) {
	t.Parallel()
	data := blocksOfAllKinds()[:600_000]
	body := encodeDeflate(data)
	r := inflate.NewReader(bufio.NewReader(bytes.NewReader(body)))
	r.StopAt(300_000)
	var at inflate.Point
	p := make([]byte, 512)
	for ok := false; !ok || at.Decoded < 300_000; at, ok = r.Point() {
		if _, err := r.Read(p); err != nil {
			t.Fatalf("got no border: %v", err)
		}
	}
	window := r.AppendWindow(nil)
	before := data[:at.Decoded]
	for _, tc := range []struct {
		name   string
		kind   byte
		stored []byte
		header int64
		sum    uint32
	}{
		{"gzip", 'g', written(data, func(w io.Writer) io.WriteCloser {
			gw, _ := gzip.NewWriterLevel(w, flate.BestCompression)
			return gw
		}), 10, crc32.ChecksumIEEE(before)},
		{"zlib", 'z', written(data, func(w io.Writer) io.WriteCloser {
			zw, _ := zlib.NewWriterLevel(w, flate.BestCompression)
			return zw
		}), 2, adler32.Checksum(before)},
		{"deflate", 'd', body, 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			good := inflateState(tc.kind, at.Bit, tc.kind != 'd', tc.sum, at.Decoded, window)
			for _, try := range []struct {
				why   string
				state []byte
				want  error // nil: the rest of the data
				late  bool  // the error comes with the trailer
			}{
				{why: "a point", state: good},
				{why: "a checksum not kept up", state: inflateState(tc.kind, at.Bit, false, 0, at.Decoded, window)},
				{why: "another checksum", state: inflateState(tc.kind, at.Bit, true, ^tc.sum, at.Decoded, window), want: codec.ErrChecksum, late: true},
				{why: "no state", state: []byte{}, want: codec.ErrCorrupt},
				{why: "half a window", state: good[:len(good)-1], want: codec.ErrCorrupt},
				{why: "too much window", state: append(bytes.Clone(good), 0), want: codec.ErrCorrupt},
				{why: "another format", state: inflateState('?', at.Bit, true, tc.sum, at.Decoded, window), want: codec.ErrCorrupt},
				{why: "no such bit", state: inflateState(tc.kind, 8, true, tc.sum, at.Decoded, window), want: codec.ErrCorrupt},
				{why: "a size below nothing", state: inflateState(tc.kind, 0, true, tc.sum, -1, nil), want: codec.ErrCorrupt},
				{why: "another version", state: append([]byte{2}, good[1:]...), want: codec.ErrUnsupported},
			} {
				if try.late && tc.kind == 'd' {
					continue
				}
				p := codec.Point{Stored: tc.header + at.Offset, Decoded: at.Decoded, State: try.state}
				d, err := lookup(t, tc.name).Restart(bytes.NewReader(tc.stored[p.Stored:]), p, new(codec.Options))
				if try.want != nil && !try.late {
					if !errors.Is(err, try.want) {
						t.Errorf("%s: got %v, want %v", try.why, err, try.want)
					}
					continue
				}
				if err != nil {
					t.Fatalf("%s: got %v", try.why, err)
				}
				got, err := io.ReadAll(d)
				if !errors.Is(err, try.want) || !bytes.Equal(got, data[at.Decoded:]) {
					t.Errorf("%s: got %d bytes and %v, want %d and %v", try.why, len(got), err, len(data)-len(before), try.want)
				}
				if off := d.(codec.Positioned).StoredOffset(); err == nil && off != int64(len(tc.stored)) {
					t.Errorf("%s: got stored offset %d at the end, want %d", try.why, off, len(tc.stored))
				}
				// A decoder that was restarted is as good as another.
				d.Reset(bytes.NewReader(tc.stored))
				if got, err := io.ReadAll(d); err != nil || !bytes.Equal(got, data) {
					t.Errorf("%s, then Reset: got %d bytes and %v, want %d", try.why, len(got), err, len(data))
				}
				d.Close()
			}
		})
	}
}

// TestInflateMemory: a reader takes what Requires says, restart points included.
func TestInflateMemory(t *testing.T) {
	data := corpus.NDJSONBytes(1, 10_000)
	for name, stored := range map[string][]byte{"gzip": gz(data), "zlib": encodeZlib(data), "deflate": encodeDeflate(data)} {
		c := lookup(t, name)
		needs, err := c.Requires(nil)
		if err != nil {
			t.Fatal(err)
		}
		p := make([]byte, 64<<10)
		size := allocated(func() {
			var d codec.Decoder
			d, err = c.NewReader(bytes.NewReader(stored), new(codec.Options))
			for n := 0; err == nil && n < 3<<19; { // one restart point is passed
				var k int
				k, err = d.Read(p)
				n += k
			}
			d.(codec.Restarter).RestartPoint()
			d.Close()
		})
		if err != nil || int64(size) > needs.Memory {
			t.Errorf("%s: got %v, %d bytes allocated, want at most %d", name, err, size, needs.Memory)
		}
	}
}
