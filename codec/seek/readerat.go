package seek

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/thaw-go/thaw/codec"
)

// ReaderAt reads decoded data at any offset of an object. It is an io.ReaderAt and safe for
// concurrent use. Each read that is under way has a Decoder. Up to two idle Decoders are kept
// for reads that continue where another read ended; [ReaderAt.Close] closes them.
//
// # What a read proves
//
// A read decodes from the last restart point at or before its offset. It verifies what a Decoder
// verifies from there to the last byte that it returns: that the data is well formed, and the
// checksums and sizes of blocks and members that end before that byte. For a member that began
// before the restart point, the index supplies the checksum of the data before the point. The
// checksum of a member that is not read to its end is not verified. A read of the last byte
// proves the end of the object as a Decoder does, and compares it with the size in the index.
type ReaderAt struct {
	src  io.ReaderAt
	x    *Index
	c    codec.Codec
	opts codec.Options

	mu     sync.Mutex
	idle   []*cursor // the one used last is last
	closed bool
}

// cursor is a Decoder in the middle of an object.
type cursor struct {
	d   codec.Decoder
	off int64 // decoded offset of the next byte
}

// maxIdle is how many Decoders are kept for reads that go on.
const maxIdle = 2

// Options configures a [ReaderAt]. Nil means the zero value.
type Options struct {
	// Codecs has the codec that the index names. Nil means [codec.Default].
	Codecs *codec.Registry

	// Decode limits and configures each Decoder.
	Decode codec.Options
}

// NewReaderAt returns a ReaderAt of src, which reads the stored bytes of an object of so many
// bytes, with the index x. src must be safe for concurrent use if the ReaderAt is used so.
// NewReaderAt reads nothing, and Close does not close src. opts may be nil.
//
// An index of an object of another size is [ErrOtherVersion]. NewReaderAt does not know the
// version of src: call [Index.Check] before, and make sure that all reads of src are of that
// version. If the codec is not in Options.Codecs, or has no Restart, the error is
// [codec.ErrUnsupported].
func NewReaderAt(src io.ReaderAt, size int64, x *Index, opts *Options) (*ReaderAt, error) {
	if err := x.Check("", size); err != nil {
		return nil, err
	}
	if opts == nil {
		opts = new(Options)
	}
	codecs := opts.Codecs
	if codecs == nil {
		codecs = codec.Default()
	}
	c, err := codecs.Lookup(x.Codec)
	if err != nil || c.Restart == nil {
		return nil, &codec.Error{Codec: x.Codec, Err: fmt.Errorf("%w: no decoder that begins in the middle", codec.ErrUnsupported)}
	}
	return &ReaderAt{src: src, x: x, c: c, opts: opts.Decode}, nil
}

// Size returns how many decoded bytes the object has, as the index says.
func (r *ReaderAt) Size() int64 { return r.x.Decoded }

// ReadAt implements io.ReaderAt for decoded bytes. It returns the data before a fault with the
// error of the fault. io.EOF says that p is longer than the data from off on. An error does not
// affect later reads. A negative off is fs.ErrInvalid. After Close, the error is fs.ErrClosed.
func (r *ReaderAt) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, fmt.Errorf("seek: read at offset %d: %w", off, fs.ErrInvalid)
	}
	if off >= r.x.Decoded {
		return 0, io.EOF
	}
	short := int64(len(p)) > r.x.Decoded-off
	if short {
		p = p[:r.x.Decoded-off]
	}
	if len(p) == 0 {
		return 0, nil
	}
	c, err := r.take(off)
	if err != nil {
		return 0, err
	}
	if err = c.skip(off, r); err == nil {
		n, err = c.read(p, r)
	}
	if err != nil || c.off == r.x.Decoded {
		c.d.Close()
	} else {
		r.put(c)
	}
	if err == nil && short {
		err = io.EOF
	}
	return n, err
}

// take finds an idle cursor from which to go on to off, or opens one.
func (r *ReaderAt) take(off int64) (*cursor, error) {
	i := r.x.before(off)
	var from int64
	if i >= 0 {
		from = r.x.points[i].decoded
	}
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil, fs.ErrClosed
	}
	for k := len(r.idle) - 1; k >= 0; k-- {
		if c := r.idle[k]; c.off >= from && c.off <= off {
			r.idle = append(r.idle[:k], r.idle[k+1:]...)
			r.mu.Unlock()
			return c, nil
		}
	}
	r.mu.Unlock()
	p, err := r.x.Before(off)
	if err != nil {
		return nil, err
	}
	src := io.NewSectionReader(r.src, p.Stored, r.x.Stored-p.Stored)
	open := func() (codec.Decoder, error) { return r.c.Restart(src, p, &r.opts) }
	if i < 0 {
		open = func() (codec.Decoder, error) { return r.c.NewReader(src, &r.opts) }
	}
	d, err := open()
	if err != nil {
		return nil, err
	}
	return &cursor{d: d, off: p.Decoded}, nil
}

func (r *ReaderAt) put(c *cursor) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		c.d.Close()
		return
	}
	if len(r.idle) == maxIdle {
		r.idle[0].d.Close()
		r.idle = append(r.idle[:0], r.idle[1:]...)
	}
	r.idle = append(r.idle, c)
}

// Close closes the idle Decoders and returns their errors. It does not close src. Reads that
// are under way finish and close their Decoders. Later reads fail with fs.ErrClosed.
func (r *ReaderAt) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	var errs []error
	for _, c := range r.idle {
		errs = append(errs, c.d.Close())
	}
	r.idle = nil
	return errors.Join(errs...)
}

// skip decodes up to off.
func (c *cursor) skip(off int64, r *ReaderAt) error {
	n, err := io.CopyN(io.Discard, c.d, off-c.off)
	c.off += n
	return c.early(err, r)
}

// read fills p. At the end of the object it reads the Decoder's end as well.
func (c *cursor) read(p []byte, r *ReaderAt) (int, error) {
	n, err := io.ReadFull(c.d, p)
	c.off += int64(n)
	if err == io.ErrUnexpectedEOF && c.ended() {
		err = io.EOF
	}
	if err != nil || c.off < r.x.Decoded {
		return n, c.early(err, r)
	}
	var beyond [1]byte
	switch m, err := io.ReadFull(c.d, beyond[:]); {
	case m > 0:
		return n, c.differs(r, "more")
	case err != io.EOF:
		return n, err
	}
	return n, nil
}

// ended reports whether the Decoder is at its clean end.
func (c *cursor) ended() bool {
	_, err := c.d.Read(make([]byte, 1))
	return err == io.EOF
}

// early makes an error of an end that comes before that of the index.
func (c *cursor) early(err error, r *ReaderAt) error {
	if err == io.EOF {
		return c.differs(r, "fewer")
	}
	return err
}

func (c *cursor) differs(r *ReaderAt, how string) error {
	return &codec.Error{Codec: r.x.Codec, StoredOffset: r.x.Stored, DecodedOffset: c.off,
		Err: fmt.Errorf("%w: %s decoded bytes than the %d of the index", codec.ErrCorrupt, how, r.x.Decoded)}
}
