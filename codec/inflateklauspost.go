//go:build !(amd64 || arm64) || thaw_klauspost

package codec

import (
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/flate"
)

// inflateEngine decodes deflate where package inflate is not tested. It begins at
// restart points, and passes none inside a stream: those of the library are wrong
// after stored blocks.
type inflateEngine struct{ r io.ReadCloser }

func (e *inflateEngine) reset(in *Input) {
	if e.r == nil {
		e.r = flate.NewReader(in.buf)
		return
	}
	// It cannot fail: the reader is of the flate package.
	_ = e.r.(flate.Resetter).Reset(in.buf, nil)
}

// resume begins bit bits into the next byte of in, after size bytes of which
// window are the last.
func (e *inflateEngine) resume(in *Input, bit uint8, size int64, window []byte) error {
	e.r = flate.NewReaderOpts(in.buf, flate.WithResumeFrom(flate.InflateCheckpoint{
		UncompressedOffset: size, BitOffset: bit, Window: window,
	}))
	return nil
}

func (e *inflateEngine) stopAt(int64) {}

func (e *inflateEngine) blockEnd(int64, []byte) (bit uint8, back int64, window []byte, ok bool) {
	return 0, 0, nil, false
}

func (e *inflateEngine) read(p []byte) (int, error) {
	n, err := e.r.Read(p)
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
