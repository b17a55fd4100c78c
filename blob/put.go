package blob

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/thaw-go/thaw/blob/driver"
)

// PutOptions configures [Store.Put]. Nil means the zero value.
type PutOptions struct {
	// IfAbsent writes only if no object has the key; else the error is
	// [ErrConflict]. It is [ErrUnsupported] unless the store has the trait
	// PutAbsent.
	IfAbsent bool

	// IfVersion writes only if the object has this version; else the error is
	// [ErrConflict]. Empty means any version. It is [ErrUnsupported] unless the
	// store has the trait PutVersion. Only one of IfAbsent and IfVersion may be
	// set.
	IfVersion string
}

// Put writes the size bytes of r as one object and returns the object's version, empty
// if the store has no versions. It is atomic: readers see the old object or the new one.
// If the error is [ErrConflict] or comes from r, nothing is written; r must not end
// early (io.ErrUnexpectedEOF) nor have more than size bytes. Nil opts means no
// condition. Put does not close r. It is made for small objects, such as manifests: it
// sends one request, and some adaptors hold up to 16 MiB in memory.
//
// A Put without condition whose r is an [io.ReaderAt] and an [io.Seeker] (bytes.Reader,
// strings.Reader, os.File) is retried as [Retry] says, from where r stands: writing the
// same twice does no harm. One with a condition is tried once: if the first attempt was
// written and its answer lost, a second one would report a conflict with it.
func (s *Store) Put(ctx context.Context, key string, r io.Reader, size int64, opts *PutOptions) (version string, err error) {
	var cond driver.Condition
	if opts != nil {
		cond = driver.Condition{Absent: opts.IfAbsent, Version: opts.IfVersion}
	}
	fail := func(err error) (string, error) { return "", s.wrap(ctx, "put", key, 0, err) }
	switch {
	case size < 0:
		return fail(fmt.Errorf("negative size %d: %w", size, fs.ErrInvalid))
	case cond.Absent && cond.Version != "":
		return fail(fmt.Errorf("a condition is either absence or a version: %w", fs.ErrInvalid))
	case cond.Absent && !s.traits.PutAbsent:
		return fail(fmt.Errorf("put if absent: %w", ErrUnsupported))
	case cond.Version != "" && !s.traits.PutVersion:
		return fail(fmt.Errorf("put if version: %w", ErrUnsupported))
	}
	if err := cmp.Or(ctx.Err(), s.named(key)); err != nil {
		return fail(err)
	}
	retrier := s.retrier("put", key)
	again := rereader(r, size)
	if cond != (driver.Condition{}) {
		again = nil
	}
	for s.retryBudget.refill(); ; {
		if again != nil {
			r = again()
		}
		version, err = s.drv.Put(ctx, s.prefix+key, &exactReader{r: r, left: size}, size, cond)
		if err == nil {
			return version, nil
		}
		if again == nil {
			return fail(err)
		}
		if err := retrier.retry(ctx, err, false); err != nil {
			return fail(err)
		}
	}
}

// rereader returns a function whose readers read what r still has, each from its start:
// a driver may still read for an attempt that failed. Nil means that r can be read once.
// The readers have one byte more than size, by which a source that is too long shows.
func rereader(r io.Reader, size int64) func() io.Reader {
	at, ok := r.(interface {
		io.ReaderAt
		io.Seeker
	})
	if !ok {
		return nil
	}
	start, err := at.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil
	}
	return func() io.Reader { return io.NewSectionReader(at, start, size+1) }
}

// exactReader returns io.EOF only after exactly as many bytes as were declared.
type exactReader struct {
	r    io.Reader
	left int64
}

func (e *exactReader) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	if int64(n) > e.left {
		return int(e.left), errors.New("more bytes than the declared size")
	}
	e.left -= int64(n)
	if err == io.EOF && e.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
