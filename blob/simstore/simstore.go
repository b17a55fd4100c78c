package simstore

import (
	"context"
	"io"
	"io/fs"
	"iter"
	"time"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/internal/pace"
)

// New puts a link in front of d. The driver that it makes deletes and restores if
// d does, closes d, and is never local; its other traits are those of d. Drivers
// share a link's total rate only if they are one.
func New(d driver.Driver, link Link) driver.Driver {
	s := &store{Driver: d, link: link, pipe: pace.New(link.PerConn, link.Total)}
	del, deletes := d.(driver.Deleter)
	res, restores := d.(driver.Restorer)
	switch {
	case deletes && restores:
		return &struct {
			*store
			deleter
			restorer
		}{s, deleter{s, del}, restorer{s, res}}
	case deletes:
		return &struct {
			*store
			deleter
		}{s, deleter{s, del}}
	case restores:
		return &struct {
			*store
			restorer
		}{s, restorer{s, res}}
	}
	return s
}

// Over is [New] with the link, as Wrap of a blob.Store takes it.
func (l Link) Over(d driver.Driver) driver.Driver { return New(d, l) }

// store is a driver behind a link.
type store struct {
	driver.Driver
	link Link
	pipe *pace.Link
}

// request waits for the first byte of an answer.
func (s *store) request(ctx context.Context) error {
	return pace.Until(ctx, time.Now().Add(s.link.FirstByte))
}

// Traits are those of the driver behind the link, which is not local.
func (s *store) Traits() driver.Traits {
	var t driver.Traits
	if d, ok := s.Driver.(driver.Describer); ok {
		t = d.Traits()
	}
	t.Local = false
	return t
}

// Close closes the driver behind the link.
func (s *store) Close() error {
	if c, ok := s.Driver.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// page is how many objects one request of a listing gives, as with the services.
const page = 1000

func (s *store) List(ctx context.Context, prefix, after string) iter.Seq2[driver.Object, error] {
	return func(yield func(driver.Object, error) bool) {
		if err := s.request(ctx); err != nil {
			yield(driver.Object{}, err)
			return
		}
		n := 0
		for obj, err := range s.Driver.List(ctx, prefix, after) {
			if n > 0 && n%page == 0 && err == nil {
				if err = s.request(ctx); err != nil {
					yield(driver.Object{}, err)
					return
				}
			}
			if n++; !yield(obj, err) {
				return
			}
		}
	}
}

func (s *store) Stat(ctx context.Context, key string) (driver.Object, error) {
	if err := s.request(ctx); err != nil {
		return driver.Object{}, err
	}
	return s.Driver.Stat(ctx, key)
}

func (s *store) ReadRange(ctx context.Context, key string, offset, length int64, version string) (driver.Range, error) {
	if err := s.request(ctx); err != nil {
		return driver.Range{}, err
	}
	rng, err := s.Driver.ReadRange(ctx, key, offset, length, version)
	if err == nil {
		b := &body{ReadCloser: rng.Body, conn: s.pipe.Conn(), call: ctx}
		b.ctx, b.end = context.WithCancel(ctx)
		rng.Body = b
	}
	return rng, err
}

func (s *store) Put(ctx context.Context, key string, r io.Reader, size int64, cond driver.Condition) (string, error) {
	if err := s.request(ctx); err != nil {
		return "", err
	}
	return s.Driver.Put(ctx, key, r, size, cond)
}

// body gives bytes when they have passed the link. Close may be called while a
// Read waits.
type body struct {
	io.ReadCloser
	conn *pace.Conn
	call context.Context
	ctx  context.Context // ends with that of the call, or by Close
	end  context.CancelFunc
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p[:min(len(p), b.conn.Step())])
	if b.conn.Pass(b.ctx, n) == nil {
		return n, err
	}
	if err := b.call.Err(); err != nil {
		return 0, err
	}
	return 0, fs.ErrClosed
}

func (b *body) Close() error {
	b.end()
	return b.ReadCloser.Close()
}

// deleter deletes behind the link.
type deleter struct {
	link *store
	to   driver.Deleter
}

func (d deleter) Delete(ctx context.Context, key string) error {
	if err := d.link.request(ctx); err != nil {
		return err
	}
	return d.to.Delete(ctx, key)
}

// restorer asks for restored copies behind the link.
type restorer struct {
	link *store
	to   driver.Restorer
}

func (r restorer) Restore(ctx context.Context, key string, req driver.RestoreRequest) error {
	if err := r.link.request(ctx); err != nil {
		return err
	}
	return r.to.Restore(ctx, key, req)
}
