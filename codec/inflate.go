package codec

import (
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/flate"
)

// inflater decodes one deflate stream after the other (RFC 1951) and never reads
// past the last byte of one. The zero value is ready for reset.
type inflater struct{ r io.ReadCloser }

// inflateWindow is the history of deflate, inflateMemory what an inflater
// allocates: window, tables and the Input's buffer.
const (
	inflateWindow = 32 << 10
	inflateMemory = 192 << 10
)

// inflateNeeds is the Requires of the formats over deflate.
func inflateNeeds([]byte) (Needs, error) {
	return Needs{Window: inflateWindow, Memory: inflateMemory, Size: -1}, nil
}

func (z *inflater) reset(in *Input) {
	if z.r == nil {
		z.r = flate.NewReader(in.Reader)
		return
	}
	// It cannot fail: the reader is of the flate package.
	_ = z.r.(flate.Resetter).Reset(in.Reader, nil)
}

// read returns io.EOF behind the final block.
func (z *inflater) read(p []byte) (int, error) {
	n, err := z.r.Read(p)
	if err == nil || err == io.EOF {
		return n, err
	}
	var corrupt flate.CorruptInputError
	var internal flate.InternalError
	if errors.As(err, &corrupt) || errors.As(err, &internal) {
		err = fmt.Errorf("%w: invalid deflate block", ErrCorrupt)
	}
	return n, err
}
