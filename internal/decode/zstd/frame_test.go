package zstd_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"

	"github.com/thaw-go/thaw/internal/decode/zstd"
)

var (
	errHeader   = errors.New("no frame header that this test knows")
	errSize     = errors.New("wrong declared size")
	errChecksum = errors.New("wrong checksum")
	errLimit    = errors.New("more bytes than this test wants")
)

// frames decodes files: frames one after the other, each with its header, which is
// read here, and its checksum.
type frames struct {
	r     *zstd.Reader
	dicts map[uint32]*zstd.Dict
	src   *bufio.Reader
	buf   []byte       // what decode returns, until its next call
	piece int          // of each read; 0 is 64 KiB
	limit int          // of decoded bytes; 0 is none
	each  func() error // reads a frame's blocks in place of this type
}

func newFrames() *frames {
	return &frames{r: zstd.NewReader(), src: bufio.NewReaderSize(nil, 128<<10)}
}

// decode returns what data decodes to, before the first fault. It is valid until
// the next call.
func (f *frames) decode(data []byte) ([]byte, error) {
	f.src.Reset(bytes.NewReader(data))
	return f.decodeFrom(f.src)
}

func (f *frames) decodeFrom(src *bufio.Reader) (got []byte, err error) {
	got = f.buf[:0]
	defer func() { f.buf = got }()
	for {
		switch _, err := src.Peek(1); {
		case err == io.EOF:
			return got, nil
		case err != nil:
			return got, err
		}
		if got, err = f.frame(got, src); err != nil {
			return got, err
		}
	}
}

// frame appends what the next frame decodes to.
func (f *frames) frame(got []byte, src *bufio.Reader) ([]byte, error) {
	magic, err := next(src, 4)
	if err != nil {
		return got, err
	}
	switch v := binary.LittleEndian.Uint32(magic); {
	case v>>4 == 0x184d2a5:
		size, err := next(src, 4)
		if err == nil {
			_, err = io.CopyN(io.Discard, src, int64(binary.LittleEndian.Uint32(size)))
		}
		return got, cut(err)
	case v != 0xfd2fb528:
		return got, errHeader
	}
	b, err := next(src, 1)
	if err != nil {
		return got, err
	}
	d, window := b[0], int64(0)
	if d&8 != 0 {
		return got, errHeader
	}
	if d&0x20 == 0 {
		if b, err = next(src, 1); err != nil {
			return got, err
		}
		window = 1 << (10 + b[0]>>3)
		window += window / 8 * int64(b[0]&7)
	}
	id, err := number(src, []int{0, 1, 2, 4}[d&3])
	if err != nil {
		return got, err
	}
	sizes := []int{0, 2, 4, 8}
	if d&0x20 != 0 {
		sizes[0] = 1
	}
	size, err := number(src, sizes[d>>6])
	if err != nil {
		return got, err
	}
	declared := sizes[d>>6] > 0
	if d>>6 == 1 {
		size += 256
	}
	if d&0x20 != 0 {
		window = int64(size)
	}
	if window < 0 || window > 128<<20 {
		return got, fmt.Errorf("window of %d", window)
	}
	var dict *zstd.Dict
	if id != 0 {
		if dict = f.dicts[uint32(id)]; dict == nil {
			return got, fmt.Errorf("no dictionary %d", id)
		}
	}
	f.r.Reset(src, window, dict)
	if f.each != nil {
		return got, f.each()
	}
	start := len(got)
	if got, err = f.blocks(got); err != nil {
		return got, err
	}
	if declared && uint64(len(got)-start) != size {
		return got, errSize
	}
	if d&4 != 0 {
		sum, err := number(src, 4)
		if err != nil {
			return got, err
		}
		if uint32(xxhash.Sum64(got[start:])) != uint32(sum) {
			return got, errChecksum
		}
	}
	return got, nil
}

// blocks appends what the Reader gives.
func (f *frames) blocks(got []byte) ([]byte, error) {
	piece := f.piece
	if piece == 0 {
		piece = 64 << 10
	}
	for {
		if cap(got)-len(got) < piece {
			got = append(make([]byte, 0, 2*cap(got)+piece), got...)
		}
		n, err := f.r.Read(got[len(got) : len(got)+piece])
		got = got[:len(got)+n]
		if err == io.EOF {
			return got, nil
		}
		if err != nil {
			return got, err
		}
		if f.limit > 0 && len(got) > f.limit {
			return got, errLimit
		}
	}
}

// next is the next n bytes of src, at most 16.
func next(src *bufio.Reader, n int) ([]byte, error) {
	b, err := src.Peek(n)
	src.Discard(len(b))
	return b, cut(err)
}

func number(src *bufio.Reader, n int) (v uint64, err error) {
	b, err := next(src, n)
	for i, c := range b {
		v |= uint64(c) << (8 * i)
	}
	return v, err
}

func cut(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
