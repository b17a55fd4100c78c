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

// NewInput buffers src. size is the buffer's; 0 means 128 KiB.
func NewInput(src io.Reader, size int) *Input {
	if size == 0 {
		size = 128 << 10
	}
	in := &Input{src: counter{r: src}}
	in.Reader = bufio.NewReaderSize(&in.src, size)
	return in
}

// Reset begins anew on src at position 0.
func (in *Input) Reset(src io.Reader) {
	in.src = counter{r: src}
	in.Reader.Reset(&in.src)
}

// Offset is how many bytes of the source were consumed: read, and not buffered.
func (in *Input) Offset() int64 { return in.src.n - int64(in.Buffered()) }

// counter counts what is read from r.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
