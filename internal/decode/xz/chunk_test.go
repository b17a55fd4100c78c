package xz_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"testing"

	"github.com/thaw-go/thaw/internal/decode/xz"
	"github.com/thaw-go/thaw/internal/testing/chunks"
)

// TestDeclaredSizes: a block that holds more than its header declares fails at the
// same place, after the same data, however the source delivers its bytes.
func TestDeclaredSizes(t *testing.T) {
	t.Parallel()
	data := bytes.Repeat(append(bytes.Clone(ice), water...), 400)
	whole := stream(t, xz.CRC32, block{data: data, sizes: true})
	head := whole[xz.HeaderSize:][:xz.BlockHeaderSize(whole[xz.HeaderSize])]
	storedSize, n := binary.Uvarint(head[2:])
	decodedSize, m := binary.Uvarint(head[2+n:])
	// with is the stream with other sizes in the header, if they take as many bytes.
	with := func(stored, decoded uint64) []byte {
		b := bytes.Clone(whole)
		h := b[xz.HeaderSize:][:len(head)]
		s, d := binary.AppendUvarint(nil, stored), binary.AppendUvarint(nil, decoded)
		if len(s) != n || len(d) != m {
			return nil
		}
		copy(h[2:], s)
		copy(h[2+n:], d)
		binary.LittleEndian.PutUint32(h[len(h)-4:], crc32.ChecksumIEEE(h[:len(h)-4]))
		return b
	}
	tried := 0
	for less := uint64(1); less < 40_000; less += 1 + less/7 {
		for _, b := range [][]byte{with(storedSize-less, decodedSize), with(storedSize, decodedSize-less), with(storedSize+less, decodedSize)} {
			if b == nil || less >= storedSize {
				continue
			}
			tried++
			want, wantAt, wantErr := decodeFrom(bytes.NewReader(b))
			if wantErr == nil {
				t.Fatalf("%d off: got no error", less)
			}
			for _, size := range []int{1, 7, 1000} {
				got, at, err := decodeFrom(chunks.Of(bytes.NewReader(b), size))
				if !bytes.Equal(got, want) || at != wantAt || (err == io.ErrUnexpectedEOF) != (wantErr == io.ErrUnexpectedEOF) {
					t.Errorf("%d off, pieces of %d: got %d bytes, %v at %d; want %d, %v at %d", less, size, len(got), err, at, len(want), wantErr, wantAt)
				}
			}
		}
	}
	if tried < 20 {
		t.Errorf("tried %d headers", tried)
	}
}

// decodeFrom decodes a stream and returns where in src its error stands.
func decodeFrom(src io.Reader) (data []byte, at int64, err error) {
	c := &counter{r: src}
	in := bufio.NewReaderSize(c, 128<<10)
	in.Discard(len(xz.Magic))
	r := xz.Reader{Limit: 64 << 20}
	if err := r.Begin(in); err != nil {
		return nil, 0, err
	}
	data, err = drain(&r)
	return data, c.n - int64(in.Buffered()), err
}

type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
