package blob

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

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

// Put writes one object of exactly size bytes, which r gives, and returns its
// version. It is atomic: readers see the old object or the new one. When the
// condition does not hold the error is [ErrConflict] and nothing is written.
// Nothing is written either when r fails, ends early (io.ErrUnexpectedEOF) or has
// more than size bytes. Put is made for small objects: manifests, quarantine
// lists, test data.
//
// A Put without condition whose r is an [io.ReaderAt] and [io.Seeker] (bytes.Reader,
// strings.Reader, os.File) heals as [Retry] says: to write the same again does no
// harm. One with a condition is tried once: had the first try been written though
// its answer was lost, a second would meet it and report a conflict.
func (s *Store) Put(ctx context.Context, key string, r io.Reader, size int64, opts *PutOptions) (version string, err error) {
	var cond driver.Condition
	if opts != nil {
		cond = driver.Condition{Absent: opts.IfAbsent, Version: opts.IfVersion}
	}
	fail := func(err error) (string, error) { return "", s.wrap(ctx, "put", key, -1, err) }
	switch {
	case size < 0:
		return fail(fmt.Errorf("negative size %d", size))
	case cond.Absent && cond.Version != "":
		return fail(errors.New("a condition is either absence or a version"))
	case cond.Absent && !s.traits.PutAbsent:
		return fail(fmt.Errorf("put if absent: %w", ErrUnsupported))
	case cond.Version != "" && !s.traits.PutVersion:
		return fail(fmt.Errorf("put if version: %w", ErrUnsupported))
	}
	if err := cmp.Or(ctx.Err(), s.named(key)); err != nil {
		return fail(err)
	}
	h := s.retrier("put", key)
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
		if err := h.retry(ctx, err, false); err != nil {
			return fail(err)
		}
	}
}

// rereader gives readers of what r still has, one independent of the other: a
// driver may read on behind a try that failed. Nil means that r can be read once.
// One byte more than size tells a source that is too long.
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

// exactReader gives io.EOF only after exactly as many bytes as were declared.
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
