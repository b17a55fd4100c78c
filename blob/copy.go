package blob

import (
	"context"
	"fmt"
	"io"
	"io/fs"
)

// copyRange is how many bytes one request of a copy asks for. Two are under way.
const copyRange = 1 << 20

// Copy copies obj, as a listing, Stat or a Reader has returned it, to key of the Store
// to, which may be s. It replaces what is there. It returns the copy as to has it, whose
// size is that of obj: another copy is io.ErrUnexpectedEOF. The version of obj alone is
// copied: another one is [ErrChanged]. An empty Version means the one that is there now.
//
// The bytes pass through the program, a few MiB of them at a time, and of an object of up to 16 MiB
// some adaptors hold the whole. ContentType and ContentEncoding are not copied. Copy is
// not retried as a whole; what it reads is.
//
// The error is an [*Error] of the Store and the key that failed.
func (s *Store) Copy(ctx context.Context, obj Object, to *Store, key string) (Object, error) {
	if s.ObjectName(obj.Key) == to.ObjectName(key) {
		return Object{}, to.wrap(ctx, "copy", key, 0, fmt.Errorf("an object to itself: %w", fs.ErrInvalid))
	}
	r, err := s.NewReader(ctx, obj.Key, &ReaderOptions{
		Object: &Object{Size: obj.Size, Version: obj.Version}, RangeSize: copyRange, InFlight: 2, ReadAhead: 2 * copyRange,
	})
	if err != nil {
		return Object{}, err
	}
	defer r.Close()
	size := r.Object().Size
	if _, err := to.Put(ctx, key, &provenReader{r: r}, size, nil); err != nil {
		return Object{}, err
	}
	made, err := to.Stat(ctx, key)
	if err == nil && made.Size != size {
		err = to.wrap(ctx, "copy", key, 0, fmt.Errorf("%d bytes of %d: %w", made.Size, size, io.ErrUnexpectedEOF))
	}
	return made, err
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
