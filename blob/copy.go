package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"

	"github.com/thaw-go/thaw/blob/driver"
)

const (
	copyRange = 1 << 20   // bytes of one request of a copy, of which two are under way
	copySlots = 2         // copies into one Store at once
	smallCopy = 256 << 10 // bytes of an object whose copy takes no slot
)

// Copy copies obj, as a listing, Stat or a Reader has returned it, to key of the Store
// to, which may be s. It replaces what is there. It returns the copy as to has it, whose
// size is that of obj: another copy is io.ErrUnexpectedEOF. The version of obj alone is
// copied: another one is [ErrChanged]. An empty Version means the one that is there now.
//
// Within one bucket the service copies where its driver offers that (memory, GCS, and S3 up
// to 5 GiB), with all that is stored about the object, and Copy is retried as [Retry]
// says. Otherwise the bytes pass through the program, 2 MiB of them at a time; of an
// object of up to 16 MiB some adaptors hold the whole. Two objects of more than 256 KiB
// are copied so into one Store at once, and others wait. ContentType and ContentEncoding
// are not copied then, and what is read is retried, not what is written.
//
// The error is an [*Error] of the Store and the key that failed, and fs.ErrInvalid for a
// copy of an object to itself.
func (s *Store) Copy(ctx context.Context, obj Object, to *Store, key string) (Object, error) {
	if s.ObjectName(obj.Key) == to.ObjectName(key) {
		return Object{}, to.wrap(ctx, "copy", key, 0, fmt.Errorf("an object to itself: %w", fs.ErrInvalid))
	}
	if err := to.named(key); err != nil {
		return Object{}, to.wrap(ctx, "copy", key, 0, err)
	}
	size := obj.Size
	copied, err := s.copyWithin(ctx, obj, to, key)
	if err == nil && !copied {
		size, err = s.copyBytes(ctx, obj, to, key)
	}
	if err != nil {
		return Object{}, err
	}
	made, err := to.Stat(ctx, key)
	if err == nil && size >= 0 && made.Size != size {
		err = to.wrap(ctx, "copy", key, 0, fmt.Errorf("%d bytes of %d: %w", made.Size, size, io.ErrUnexpectedEOF))
	}
	return made, err
}

// copyWithin lets the service copy. It reports false if that is not offered for obj.
func (s *Store) copyWithin(ctx context.Context, obj Object, to *Store, key string) (copied bool, err error) {
	d, ok := to.drv.(driver.Copier)
	same := sameDriver(s.drv, to.drv)
	if !ok || !same && (obj.Version == "" || !sameLocation(s.drv, to.drv)) {
		return false, nil
	}
	from := driver.Object{Key: s.prefix + obj.Key, Size: obj.Size, Version: obj.Version}
	retrier := to.retrier("copy", key)
	for to.retryBudget.refill(); ; {
		err := d.Copy(ctx, from, to.prefix+key)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, ErrUnsupported), !same && isFinal(err): // perhaps of another endpoint
			return false, nil
		}
		if err := retrier.retry(ctx, err, false); err != nil {
			return false, to.wrap(ctx, "copy", obj.Key, 0, err)
		}
	}
}

func sameDriver(a, b driver.Driver) bool {
	return reflect.TypeOf(a).Comparable() && reflect.TypeOf(b).Comparable() && a == b
}

// sameLocation reports whether two drivers reach a bucket of the same name. The service
// may be another one: a location does not name the endpoint.
func sameLocation(a, b driver.Driver) bool {
	one, ok := a.(driver.Namer)
	other, too := b.(driver.Namer)
	return ok && too && one.Location() != "" && one.Location() == other.Location()
}

// copyBytes reads the object and writes it. It returns the size.
func (s *Store) copyBytes(ctx context.Context, obj Object, to *Store, key string) (int64, error) {
	if obj.Size < 0 || obj.Size > smallCopy {
		select {
		case to.copies <- struct{}{}:
			defer func() { <-to.copies }()
		case <-ctx.Done():
			return 0, to.wrap(ctx, "copy", key, 0, ctx.Err())
		}
	}
	r, err := s.NewReader(ctx, obj.Key, &ReaderOptions{
		Object: &Object{Size: obj.Size, Version: obj.Version}, RangeSize: copyRange, InFlight: 2, ReadAhead: 2 * copyRange,
	})
	if err != nil {
		return 0, err
	}
	defer r.Close()
	size := r.Object().Size
	_, err = to.Put(ctx, key, &provenReader{r: r}, size, nil)
	return size, err
}

// provenReader returns io.EOF only if the object was not written to meanwhile.
type provenReader struct{ r *Reader }

func (p *provenReader) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if err == io.EOF {
		if changed := p.r.Changed(); changed != nil {
			err = changed
		}
	}
	return n, err
}
