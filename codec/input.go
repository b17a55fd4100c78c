package codec

import (
	"bufio"
	"io"
)

// Input is a buffered source that knows how much of it was consumed. Decoders of this package
// read their source through an Input. It belongs to one goroutine.
//
// Decompressors that look for io.ByteReader take single bytes from an Input, so that they
// consume nothing after the end of their data.
//
// An error of the source comes after the bytes before it, and again from every later call. A
// source that returns 0 bytes and no error 100 times in a row has the error io.ErrNoProgress.
type Input struct {
	buf    *bufio.Reader
	src    counter
	resets int
}

const (
	defaultInput = 128 << 10
	leastInput   = 64 // some formats look that far ahead
)

// NewInput returns an Input of src, of which nothing is consumed. size is the size of the
// buffer in bytes, at least 64; 0 means 128 KiB. It reads nothing. There is nothing to close.
func NewInput(src io.Reader, size int) *Input {
	if size == 0 {
		size = defaultInput
	}
	in := &Input{src: counter{r: src}}
	in.buf = bufio.NewReaderSize(&in.src, max(size, leastInput))
	return in
}

// Read implements io.Reader. It reads from the source at most once.
func (in *Input) Read(p []byte) (int, error) { return in.buf.Read(p) }

// ReadByte implements io.ByteReader.
func (in *Input) ReadByte() (byte, error) { return in.buf.ReadByte() }

// Peek returns the next n bytes and does not consume them. They are valid until the next call
// of another method. If there are fewer, it returns them with an error: that of the source,
// io.EOF at its end, or bufio.ErrBufferFull if n is larger than [Input.Size].
func (in *Input) Peek(n int) ([]byte, error) { return in.buf.Peek(n) }

// Discard consumes n bytes and returns how many it consumed. If these are fewer, it returns an
// error too: that of the source, or io.EOF at its end. It never fails for bytes that Peek has
// returned.
func (in *Input) Discard(n int) (int, error) { return in.buf.Discard(n) }

// Buffered returns how many bytes can be read before the source is asked for more.
func (in *Input) Buffered() int { return in.buf.Buffered() }

// Size returns the size of the buffer in bytes.
func (in *Input) Size() int { return in.buf.Size() }

// Offset returns how many bytes of the source were consumed: read or discarded. Bytes in the
// buffer are not consumed.
func (in *Input) Offset() int64 { return in.src.n - int64(in.buf.Buffered()) }

// Reset drops the buffered bytes and begins with src, at offset 0. It keeps the buffer.
func (in *Input) Reset(src io.Reader) {
	in.src = counter{r: src}
	in.buf.Reset(&in.src)
	in.resets++
}

// asInput is src itself if it is an Input, else own or a new Input over it.
func asInput(src io.Reader, own *Input) *Input {
	if in, ok := src.(*Input); ok {
		return in
	}
	if own == nil {
		return NewInput(src, 0)
	}
	own.Reset(src)
	return own
}

// fault is the error of the source, once everything before it was consumed. The
// end of the source is none.
func (in *Input) fault() error {
	if in.Buffered() > 0 || in.src.err == io.EOF {
		return nil
	}
	return in.src.err
}

// counter counts what is read from r and keeps its error. It reads again
// where the source returns neither data nor an error, but not for ever.
type counter struct {
	r   io.Reader
	n   int64
	err error // sticky, io.EOF included
}

// maxEmptyReads is how often a source is asked again.
const maxEmptyReads = 100

func (c *counter) Read(p []byte) (n int, err error) {
	for try := 0; n == 0 && c.err == nil && len(p) > 0; try++ {
		if n, c.err = c.r.Read(p); n == 0 && c.err == nil && try == maxEmptyReads {
			c.err = io.ErrNoProgress
		}
	}
	c.n += int64(n)
	return n, c.err
}
