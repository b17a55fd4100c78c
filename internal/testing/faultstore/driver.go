package faultstore

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"iter"

	"github.com/thaw-go/thaw/blob/driver"
)

// Traits tells that Put honours both conditions. The store is not local.
func (s *Store) Traits() driver.Traits {
	return driver.Traits{PutAbsent: true, PutVersion: true, DeleteVersion: true}
}

// answer is what a call meets that a fault strikes before there is an answer.
func answer(ctx context.Context, f Fault) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	switch f.Kind {
	case Slow:
		return wait(ctx, f.Wait, nil)
	case Drop:
		return fmt.Errorf("connection lost: %w", driver.ErrTransient)
	case InternalError:
		return fmt.Errorf("500 internal error: %w", driver.ErrTransient)
	case SlowDown:
		return fmt.Errorf("503 slow down: %w", driver.ErrTransient)
	case ErrorDocument:
		return fmt.Errorf("200 with an error: %w", driver.ErrTransient)
	case Denied:
		return fs.ErrPermission
	case Missing:
		return fs.ErrNotExist
	}
	return nil
}

// Stat describes one object.
func (s *Store) Stat(ctx context.Context, key string) (driver.Object, error) {
	if err := answer(ctx, s.call(Call{Op: Stat, Key: key})); err != nil {
		return driver.Object{}, err
	}
	o, err := s.get(key)
	if err != nil {
		return driver.Object{}, err
	}
	return s.describe(o), nil
}

// ReadRange opens a part of an object.
func (s *Store) ReadRange(ctx context.Context, key string, offset, length int64, version string) (driver.Range, error) {
	if err := ctx.Err(); err != nil {
		return driver.Range{}, err
	}
	c := Call{Op: Read, Key: key, Offset: offset}
	o, err := s.get(key)
	if err == nil {
		c.Length = due(o.item.Content.Size(), offset, length)
	}
	f := s.call(c)
	if ferr := answer(ctx, f); ferr != nil {
		return driver.Range{}, ferr
	}
	if f.Kind == Slow {
		o, err = s.get(key) // as it is when the answer comes
	}
	if err != nil {
		return driver.Range{}, err
	}
	obj := s.describe(o)
	switch {
	case version != "" && version != obj.Version && !s.opts.NoPreconditions:
		return driver.Range{}, fmt.Errorf("version is %s: %w", obj.Version, driver.ErrChanged)
	case !readable(obj.Archive):
		return driver.Range{}, driver.ErrArchived
	case f.Kind == Gunzip:
		return driver.Range{}, fmt.Errorf("body was decompressed on the way: %w", driver.ErrTransient)
	}
	from, n := offset, due(obj.Size, offset, length)
	switch f.Kind {
	case WholeBody:
		from, n = 0, obj.Size
	case Shifted:
		from = min(max(offset+f.At, 0), obj.Size)
		n = due(obj.Size, from, n)
	}
	return driver.Range{Body: s.body(ctx, o, from, n, f), Offset: from, Object: obj}, nil
}

// due is how many bytes of an object of a size a range has.
func due(size, offset, length int64) int64 {
	n := max(0, size-offset)
	if length >= 0 {
		n = min(n, length)
	}
	return n
}

// List yields objects page by page. Each page is a call.
func (s *Store) List(ctx context.Context, prefix, after string) iter.Seq2[driver.Object, error] {
	return func(yield func(driver.Object, error) bool) {
		fail := func(err error) { yield(driver.Object{}, err) }
		for seen, more := 0, true; more; {
			var page []driver.Object
			page, more = s.page(prefix, after, s.opts.Page)
			f := s.call(Call{Op: List, Key: prefix, Offset: int64(seen), Length: int64(len(page))})
			if err := answer(ctx, f); err != nil {
				fail(err)
				return
			}
			for i, obj := range misplace(page, f) {
				if f.Kind == BrokenPage && int64(i) >= f.At {
					break
				}
				if err := ctx.Err(); err != nil {
					fail(err)
					return
				}
				if !yield(obj, nil) {
					return
				}
			}
			switch f.Kind {
			case BrokenPage:
				fail(fmt.Errorf("page broke off: %w", driver.ErrTransient))
				return
			case NoToken:
				fail(fmt.Errorf("more objects follow, and no token: %w", driver.ErrTransient))
				return
			}
			seen += len(page)
			if more {
				after = page[len(page)-1].Key
			}
		}
	}
}

// misplace does to a page what a fault says.
func misplace(page []driver.Object, f Fault) []driver.Object {
	if f.At < 0 || f.At >= int64(len(page)) {
		return page
	}
	page = append([]driver.Object(nil), page...)
	switch at := int(f.At); {
	case f.Kind == Duplicate:
		page = append(page[:at+1], page[at:]...)
	case f.Kind == Disorder && at+1 < len(page):
		page[at], page[at+1] = page[at+1], page[at]
	}
	return page
}

// Put writes one object. A fault strikes before anything is written.
func (s *Store) Put(ctx context.Context, key string, r io.Reader, size int64, cond driver.Condition) (string, error) {
	if err := answer(ctx, s.call(Call{Op: Put, Key: key, Length: size})); err != nil {
		return "", err
	}
	if key == "" {
		return "", fmt.Errorf("empty key: %w", fs.ErrInvalid)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return "", err
	}
	if int64(len(data)) != size {
		return "", fmt.Errorf("%d bytes instead of %d", len(data), size)
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	return s.put(Item{Key: key, Content: Bytes(data)}, cond)
}

// Delete removes one object.
func (s *Store) Delete(ctx context.Context, key, version string) error {
	if err := answer(ctx, s.call(Call{Op: Delete, Key: key})); err != nil {
		return err
	}
	return s.remove(key, version)
}

// Restore asks for a readable copy, which is there after [Options.Thaw].
func (s *Store) Restore(ctx context.Context, key string, req driver.RestoreRequest) error {
	if err := answer(ctx, s.call(Call{Op: Restore, Key: key})); err != nil {
		return err
	}
	o, err := s.get(key)
	if err == nil {
		s.thaw(o, req)
	}
	return err
}
