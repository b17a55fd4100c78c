package codec

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
)

// ReaderAt reads decoded bytes of an object anywhere, through an [Index]. It is an
// io.ReaderAt: several goroutines may read at once, each with a Decoder. Reads one
// behind the other go on with the same Decoder. Close frees what is held.
//
// # What a read proves
//
// All that a codec verifies between the point where decoding begins and the last
// byte given: that the data is well formed, and the checksums and sizes of blocks,
// frames and members whose end lies before that byte. A checksum of a member that
// began before the point covers its bytes from the point on; what came before is
// taken from the index. A read up to the end of the object has its end proven as a
// Decoder does, against the size of the index too. Of a member that is not read to
// its end, the checksum is not verified.
type ReaderAt struct {
	src  io.ReaderAt
	x    *Index
	c    Codec
	opts Options

	mu     sync.Mutex
	idle   []*indexCursor // the one used last is last
	closed bool
}

// indexCursor is a Decoder in the middle of an object.
type indexCursor struct {
	d   Decoder
	off int64 // decoded offset of the next byte
}

// maxIdle is how many Decoders are kept for reads that go on.
const maxIdle = 2

// NewReaderAt reads src, the object of size bytes, through x. opts may be nil. It is
// [ErrOtherVersion] if x is of another size, and [ErrUnsupported] if r does not have
// the codec or the codec cannot begin in the middle. The version is for the caller
// to [Index.Check]: every read of src must be of the same one.
func (r *Registry) NewReaderAt(src io.ReaderAt, size int64, x *Index, opts *Options) (*ReaderAt, error) {
	if err := x.Check("", size); err != nil {
		return nil, err
	}
	c, ok := r.Lookup(x.Codec)
	if !ok || c.Restart == nil {
		return nil, &Error{Codec: x.Codec, Err: fmt.Errorf("%w: no decoder that begins in the middle", ErrUnsupported)}
	}
	if opts == nil {
		opts = new(Options)
	}
	return &ReaderAt{src: src, x: x, c: c, opts: *opts}, nil
}

// Size is the decoded size.
func (r *ReaderAt) Size() int64 { return r.x.Decoded }

// ReadAt fills p with decoded bytes from off on. Bytes before a fault are given with
// its error; io.EOF means that fewer bytes follow off than p has. After an error the
// next read begins anew.
func (r *ReaderAt) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, fmt.Errorf("codec: read at offset %d: %w", off, fs.ErrInvalid)
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
func (r *ReaderAt) take(off int64) (*indexCursor, error) {
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
	open := func() (Decoder, error) { return r.c.Restart(src, p, &r.opts) }
	if i < 0 {
		open = func() (Decoder, error) { return r.c.NewReader(src, &r.opts) }
	}
	d, err := open()
	if err != nil {
		return nil, err
	}
	return &indexCursor{d: d, off: p.Decoded}, nil
}

func (r *ReaderAt) put(c *indexCursor) {
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

// Close closes what no read is using; reads under way close theirs. Reads after it
// fail with fs.ErrClosed. It does not close the source.
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
func (c *indexCursor) skip(off int64, r *ReaderAt) error {
	n, err := io.CopyN(io.Discard, c.d, off-c.off)
	c.off += n
	return c.early(err, r)
}

// read fills p. At the end of the object it reads the Decoder's end as well.
func (c *indexCursor) read(p []byte, r *ReaderAt) (int, error) {
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

// ended tells the end of the Decoder from its io.ErrUnexpectedEOF.
func (c *indexCursor) ended() bool {
	_, err := c.d.Read(make([]byte, 1))
	return err == io.EOF
}

// early makes an error of an end that comes before that of the index.
func (c *indexCursor) early(err error, r *ReaderAt) error {
	if err == io.EOF {
		return c.differs(r, "fewer")
	}
	return err
}

func (c *indexCursor) differs(r *ReaderAt, how string) error {
	return &Error{Codec: r.x.Codec, Offset: r.x.Stored, Decoded: c.off,
		Err: fmt.Errorf("%w: %s decoded bytes than the %d of the index", ErrCorrupt, how, r.x.Decoded)}
}
