package codec

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
)

// brotliCodec is RFC 7932, and the large windows of RFC 9841 as far as
// Options.MaxWindow goes. An object is one stream. The format has no magic and no
// checksum: damage may decode to other bytes. The window grows with the data and
// with what the next meta-block claims to hold, 16 MiB at most.
func brotliCodec() Codec {
	return Codec{
		Name:       "brotli",
		Extensions: []string{".br"},
		Encodings:  []string{"br"},
		Requires:   brotliRequires,
		NewReader:  opener("brotli", newBrotli),
	}
}

// brotliWindow is the window that the first bytes declare. io.ErrUnexpectedEOF
// asks for more of them.
func brotliWindow(head []byte) (int64, error) {
	if len(head) == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	b := head[0]
	bits := 0
	switch {
	case b&1 == 0:
		bits = 16
	case b>>1&7 != 0:
		bits = 17 + int(b>>1&7)
	case b>>4&7 == 0:
		bits = 17
	case b>>4&7 != 1:
		bits = 8 + int(b>>4&7)
	case b>>7 == 1:
		return 0, fmt.Errorf("%w: brotli window size", ErrCorrupt)
	case len(head) < 2:
		return 0, io.ErrUnexpectedEOF
	default: // RFC 9841, section 9.2
		if bits = int(head[1] & 0x3f); bits < 10 || bits > 30 {
			return 0, fmt.Errorf("%w: brotli window of 2^%d", ErrCorrupt, bits)
		}
	}
	return 1 << bits, nil
}

// brotliRequires is the most that a reader takes: while the window grows with the
// data, the old one and the new one are held, and prefix codes beside them.
func brotliRequires(head []byte) (Needs, error) {
	w, err := brotliWindow(head)
	if err != nil {
		return Needs{}, err
	}
	return Needs{Window: w, Memory: brotliMemory(w), Size: -1}, nil
}

func brotliMemory(window int64) int64 { return window + window/2 + 2<<20 }

// brotliFormat hands stored bytes to the library and takes back, by the length of
// what the library has not used, those behind the stream.
type brotliFormat struct {
	in     *Input
	z      *brotli.Reader
	unused reflect.Value // the library's buffered input
	end    error         // what the library returns for bytes behind a stream
	handed int           // bytes at the front of in that the library holds
	opts   *Options
}

func newBrotli(o *Options) (format, error) {
	f := &brotliFormat{
		z:    brotli.NewReaderOptions(nil, brotli.ReaderOptions{LargeWindow: true}),
		end:  brotliEnd(),
		opts: o,
	}
	f.unused = reflect.ValueOf(f.z).Elem().FieldByName("in")
	if f.end == nil || f.unused.Kind() != reflect.Slice {
		return nil, fmt.Errorf("%w: the brotli library of this build does not tell where a stream ends", ErrUnsupported)
	}
	return f, nil
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
	w, err := brotliWindow(head)
	switch {
	case err == io.ErrUnexpectedEOF:
		in.Discard(len(head))
		return err
	case err != nil:
		return err
	}
	if err := f.opts.admit(w, brotliMemory(w)); err != nil {
		return err
	}
	f.in, f.handed = in, 0
	return f.z.Reset((*brotliSource)(f))
}

func (f *brotliFormat) read(p []byte) (int, error) {
	n, err := f.z.Read(p)
	f.settle(f.unused.Len())
	switch {
	case err == nil:
	case err == f.end:
		err = io.EOF
	case err == io.EOF, err == io.ErrUnexpectedEOF, f.in.fault() != nil:
	default:
		err = fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return n, err
}

// settle consumes what was handed over, but the last n bytes.
func (f *brotliFormat) settle(n int) {
	f.in.Discard(f.handed - n)
	f.handed = n
}

func (f *brotliFormat) close() { *f = brotliFormat{} }

// brotliStep is how many stored bytes the library is given at a time. At damage it
// drops what it decoded since it was last given some; so the steps must be small,
// and of one size however the bytes arrive.
const brotliStep = 1 << 10

// brotliSource is what the library reads from.
type brotliSource brotliFormat

func (s *brotliSource) Read(p []byte) (int, error) {
	f := (*brotliFormat)(s)
	f.settle(0) // the library asks only when all is used
	b, err := f.in.Peek(min(len(p), brotliStep, f.in.Size()))
	if len(b) == 0 {
		return 0, err
	}
	f.handed = copy(p, b)
	return f.handed, nil
}

// brotliEnd is what the library returns, with the last data, where a stream ends
// before the bytes handed over do. It has no name for it. Nil: it does not tell.
var brotliEnd = sync.OnceValue(func() error {
	const empty = "\x06"
	_, err := brotli.NewReader(strings.NewReader(empty + "behind")).Read(make([]byte, 1))
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil
	}
	return err
})
