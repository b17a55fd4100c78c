package codec

import (
	"bufio"
	"io"
)

// Input is a buffered source that knows its position. The built-in codecs read
// their source through one, so that nothing past a member's end is claimed.
type Input struct {
	*bufio.Reader
	src counter
}

// NewInput buffers src. size is the buffer's; 0 means 128 KiB, and the least is 64
// bytes: some formats look that far ahead.
func NewInput(src io.Reader, size int) *Input {
	if size == 0 {
		size = 128 << 10
	}
	in := &Input{src: counter{r: src}}
	in.Reader = bufio.NewReaderSize(&in.src, max(size, 64))
	return in
}

// Reset begins anew on src at position 0.
func (in *Input) Reset(src io.Reader) {
	in.src = counter{r: src}
	in.Reader.Reset(&in.src)
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

// Offset is how many bytes of the source were consumed: read, and not buffered.
func (in *Input) Offset() int64 { return in.src.n - int64(in.Buffered()) }

// fault is the error of the source, once everything before it was consumed. The
// end of the source is none.
func (in *Input) fault() error {
	if in.Buffered() > 0 || in.src.err == io.EOF {
		return nil
	}
	return in.src.err
}

// counter counts what is read from r and keeps its error. A source that gives
// neither data nor an error is asked again, but not for ever.
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
