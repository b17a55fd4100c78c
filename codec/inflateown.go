//go:build (amd64 || arm64) && !thaw_klauspost

package codec

import "github.com/thaw-go/thaw/internal/decode/inflate"

// inflateEngine decodes deflate by package inflate. The tag thaw_klauspost puts
// the engine of untested architectures in its place.
type inflateEngine struct{ r *inflate.Reader }

func (e *inflateEngine) reset(in *Input) {
	if e.r == nil {
		e.r = inflate.NewReader(in.buf)
		return
	}
	e.r.Reset(in.buf)
}

// resume begins at the end of a block: bit bits into the next byte of in, after size bytes
// of which window are the last.
func (e *inflateEngine) resume(in *Input, bit uint8, size int64, window []byte) error {
	e.reset(in)
	return e.r.Resume(in.buf, inflate.Point{Bit: bit, Decoded: size, History: len(window)}, window)
}

// stopAt makes read end at the first block end at or after size bytes.
func (e *inflateEngine) stopAt(size int64) { e.r.StopAt(size) }

// blockEnd reports whether size bytes end at a block end: bit bits into the byte
// that lies back bytes before the next of the Input. It appends the window there.
func (e *inflateEngine) blockEnd(size int64, window []byte) (bit uint8, back int64, _ []byte, ok bool) {
	p, ok := e.r.Point()
	if !ok || p.Decoded != size {
		return 0, 0, window, false
	}
	return p.Bit, e.r.Consumed() - p.Offset, e.r.AppendWindow(window), true
}

func (e *inflateEngine) read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	return n, cause(err)
}
