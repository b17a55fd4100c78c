package simstore

import (
	"context"
	"io"
	"io/fs"
	"iter"
	"time"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/internal/simlink"
)

// Driver is a driver behind a link. Make one with [New]. It is safe for concurrent use.
type Driver struct {
	to   driver.Driver
	link Link
	pipe *simlink.Link
}

// New returns a Driver that reaches d over link; blob.New makes a Store of it, and
// blob.OpenOptions.Wrap takes a function that calls it. The Driver has the names and
// the traits of d, but is never local. It deletes and restores if d does. Drivers of
// one link do not share its total rate: make one Driver for that.
//
// The Driver takes d over: closing it closes d, if that is an [io.Closer].
func New(d driver.Driver, link Link) *Driver {
	return &Driver{to: d, link: link, pipe: simlink.New(link.PerConn, link.Total)}
}

// Name returns the name of the driver behind the link, if it has one.
func (d *Driver) Name() string {
	if n, ok := d.to.(driver.Namer); ok {
		return n.Name()
	}
	return ""
}

// Location returns the location of the driver behind the link, if it has one.
func (d *Driver) Location() string {
	if n, ok := d.to.(driver.Namer); ok {
		return n.Location()
	}
	return ""
}

// request waits for the first byte of an answer.
func (d *Driver) request(ctx context.Context) error {
	return simlink.Until(ctx, time.Now().Add(d.link.FirstByte))
}

// Traits returns the traits of the driver behind the link, but is never local.
func (d *Driver) Traits() driver.Traits {
	var t driver.Traits
	if to, ok := d.to.(driver.Describer); ok {
		t = to.Traits()
	}
	t.Local = false
	return t
}

// Close closes the driver behind the link.
func (d *Driver) Close() error {
	if c, ok := d.to.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// page is how many objects one request of a listing returns, as from the services.
const page = 1000

func (d *Driver) List(ctx context.Context, prefix, after string) iter.Seq2[driver.Object, error] {
	return func(yield func(driver.Object, error) bool) {
		if err := d.request(ctx); err != nil {
			yield(driver.Object{}, err)
			return
		}
		n := 0
		for obj, err := range d.to.List(ctx, prefix, after) {
			if n > 0 && n%page == 0 && err == nil {
				if err = d.request(ctx); err != nil {
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

func (d *Driver) Stat(ctx context.Context, key string) (driver.Object, error) {
	if err := d.request(ctx); err != nil {
		return driver.Object{}, err
	}
	return d.to.Stat(ctx, key)
}

func (d *Driver) ReadRange(ctx context.Context, key string, offset, length int64, version string) (driver.Range, error) {
	if err := d.request(ctx); err != nil {
		return driver.Range{}, err
	}
	rng, err := d.to.ReadRange(ctx, key, offset, length, version)
	if err == nil {
		b := &body{ReadCloser: rng.Body, conn: d.pipe.Conn(), call: ctx}
		b.ctx, b.end = context.WithCancel(ctx)
		rng.Body = b
	}
	return rng, err
}

func (d *Driver) Put(ctx context.Context, key string, r io.Reader, size int64, cond driver.Condition) (string, error) {
	if err := d.request(ctx); err != nil {
		return "", err
	}
	return d.to.Put(ctx, key, r, size, cond)
}

// body returns bytes when they have passed the link. Close may be called while Read
// waits.
type body struct {
	io.ReadCloser
	conn *simlink.Conn
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

// Delete deletes over the link, if the driver under it can.
func (d *Driver) Delete(ctx context.Context, key, version string) error {
	to, ok := d.to.(driver.Deleter)
	if !ok {
		return driver.ErrUnsupported
	}
	if err := d.request(ctx); err != nil {
		return err
	}
	return to.Delete(ctx, key, version)
}

// Copy copies by one request over the link, if the driver under it can.
func (d *Driver) Copy(ctx context.Context, from driver.Object, key string) error {
	to, ok := d.to.(driver.Copier)
	if !ok {
		return driver.ErrUnsupported
	}
	if err := d.request(ctx); err != nil {
		return err
	}
	return to.Copy(ctx, from, key)
}

// Restore requests a restored copy over the link, if the driver under it can.
func (d *Driver) Restore(ctx context.Context, key string, req driver.RestoreRequest) error {
	to, ok := d.to.(driver.Restorer)
	if !ok {
		return driver.ErrUnsupported
	}
	if err := d.request(ctx); err != nil {
		return err
	}
	return to.Restore(ctx, key, req)
}

// CheckRestore checks a request as the driver behind the link does. It takes no time.
func (d *Driver) CheckRestore(req driver.RestoreRequest) error {
	if to, ok := d.to.(driver.RestoreChecker); ok {
		return to.CheckRestore(req)
	}
	return nil
}
