package blob

import (
	"context"
	"fmt"
	"io"
	"sync"
)

// ReaderAt reads any part of one version of one object, for formats that are read by an
// index. Make one with [Store.NewReaderAt]. It is safe for concurrent use.
type ReaderAt struct {
	pin    *pin
	obj    Object
	opts   ReaderOptions
	ctx    context.Context
	cancel context.CancelFunc
}

// NewReaderAt opens one object for reading at any offset. ctx bounds the ReaderAt's
// whole life. If Object in opts has the Size, no request is sent before the first
// ReadAt, and a version that is not known is pinned by the first response; else
// NewReaderAt learns both by one Stat, with its errors. Offset, ReadAhead and Budget of
// opts have no effect: bytes go straight into the caller's buffer. Nil opts means the
// defaults. The caller closes the ReaderAt.
func (s *Store) NewReaderAt(ctx context.Context, key string, opts *ReaderOptions) (*ReaderAt, error) {
	var o ReaderOptions
	if opts != nil {
		o = *opts
	}
	o.Offset = 0
	p, err := s.pin(ctx, key, &o)
	if err != nil {
		return nil, err
	}
	r := &ReaderAt{pin: p, opts: o}
	if p.size >= 0 {
		r.obj = *o.Object
		r.obj.Key = key
	} else {
		if r.obj, err = s.Stat(ctx, key); err != nil {
			return nil, err
		}
		if p.version != "" && r.obj.Version != p.version {
			return nil, p.fail(ctx, 0, fmt.Errorf("version %q instead of %q: %w", r.obj.Version, p.version, ErrChanged))
		}
		p.size, p.version = r.obj.Size, r.obj.Version
	}
	r.ctx, r.cancel = context.WithCancel(ctx)
	return r, nil
}

// Object returns what was known of the object when the ReaderAt was opened.
func (r *ReaderAt) Object() Object { return r.obj }

// Size returns the size of the object in bytes.
func (r *ReaderAt) Size() int64 { return r.obj.Size }

// ReadAt implements [io.ReaderAt]. It requests more than RangeSize bytes as several
// ranges, InFlight at a time, except from local stores. Faults are retried as those of a
// Reader; a replaced object is [ErrChanged]. With an error, the bytes before the first
// fault are valid.
func (r *ReaderAt) ReadAt(p []byte, off int64) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, r.pin.fail(r.ctx, off, err)
	}
	if off < 0 {
		return 0, r.pin.fail(r.ctx, 0, fmt.Errorf("negative offset %d", off))
	}
	end := error(nil)
	if left := max(0, r.obj.Size-off); int64(len(p)) > left {
		p, end = p[:left], io.EOF
	}
	if len(p) == 0 {
		return 0, end
	}
	n, err := r.readRanges(p, off)
	if err == nil {
		err = end
	}
	return n, err
}

// readRanges fills p. It counts the bytes before the first fault.
func (r *ReaderAt) readRanges(p []byte, off int64) (int, error) {
	size := r.opts.RangeSize
	if r.pin.store.traits.Local || int64(len(p)) <= size {
		return r.readRange(p, off)
	}
	ranges := int((int64(len(p)) + size - 1) / size)
	got := make([]int, ranges)
	errs := make([]error, ranges)
	slots := make(chan struct{}, r.opts.InFlight)
	var all sync.WaitGroup
	for i := range ranges {
		slots <- struct{}{}
		from := int64(i) * size
		part := p[from:min(from+size, int64(len(p)))]
		all.Go(func() {
			got[i], errs[i] = r.readRange(part, off+from)
			<-slots
		})
	}
	all.Wait()
	n := 0
	for i, err := range errs {
		n += got[i]
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// readRange fills p by one range.
func (r *ReaderAt) readRange(p []byte, off int64) (int, error) {
	s := newHealingRange(r.ctx, r.pin, off, int64(len(p)))
	defer s.close()
	n, err := io.ReadFull(s, p)
	if err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return n, r.pin.fail(r.ctx, off+int64(n), err)
	}
	// A connection whose body was read to its end can be used again. A fault
	// after the bytes requested is one of the object.
	var beyond [1]byte
	if _, err := s.Read(beyond[:]); err != nil && err != io.EOF {
		return n, err
	}
	return n, nil
}

// Close cancels the requests under way; ReadAt then fails. It returns nil, also when
// called again.
func (r *ReaderAt) Close() error {
	r.cancel()
	return nil
}
