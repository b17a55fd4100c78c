package codec

import (
	"io"

	"github.com/thaw-go/thaw/internal/decode/brotli"
)

// brotliCodec is RFC 7932, and the large windows of RFC 9841 as far as
// Options.MaxWindow goes. An object is one stream. The format has no magic and no
// checksum: damage may decode to other bytes.
func brotliCodec() Codec {
	return Codec{
		Name:       "brotli",
		Member:     "stream",
		Extensions: []string{".br"},
		Encodings:  []string{"br"},
		Requires:   brotliRequires,
		NewReader:  opener("brotli", newBrotli),
	}
}

// brotliRequires is the most that a reader takes: while the ring grows with the
// data, half a window is held beside it, and tables of codes beside them.
func brotliRequires(head []byte) (Needs, error) {
	w, err := brotli.Window(head)
	if err != nil {
		return Needs{}, cause(err)
	}
	return Needs{Window: w, Memory: brotliMemory(w), Size: -1}, nil
}

func brotliMemory(window int64) int64 { return window + window/2 + 3<<20 }

// brotliFormat decodes one stream.
type brotliFormat struct {
	r    *brotli.Reader
	opts *Options
}

func newBrotli(o *Options) (format, error) {
	return &brotliFormat{r: brotli.NewReader(), opts: o}, nil
}

func (f *brotliFormat) begin(in *Input, first bool) error {
	if _, err := in.Peek(1); err != nil {
		return err
	}
	if !first {
		return errNoMember
	}
	head, err := in.Peek(2)
	if err != nil && err != io.EOF {
		return err
	}
	w, err := brotli.Window(head)
	switch {
	case err == io.ErrUnexpectedEOF:
		in.Discard(len(head))
		return err
	case err != nil:
		return cause(err)
	}
	if err := f.opts.admit(w, brotliMemory(w)); err != nil {
		return err
	}
	f.r.Reset(in.buf)
	return nil
}

func (f *brotliFormat) read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	return n, cause(err)
}

func (f *brotliFormat) close() { *f = brotliFormat{} }
