package blob_test

import (
	"context"
	"iter"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/memstore"
)

// counting counts what passes, and is not local.
type counting struct {
	driver.Driver
	lists, closed int
}

func (c *counting) List(ctx context.Context, prefix, after string) iter.Seq2[driver.Object, error] {
	c.lists++
	return c.Driver.List(ctx, prefix, after)
}

func (c *counting) Close() error { c.closed++; return nil }

// What wraps the driver takes its place in everything, the traits included.
func TestWrap(t *testing.T) {
	t.Parallel()
	c := &counting{}
	store := memstore.Open()
	src := store.List(nil)
	store.Wrap(func(d driver.Driver) driver.Driver {
		c.Driver = d
		return c
	})
	if got := store.Traits(); got != (driver.Traits{}) {
		t.Errorf("got traits %+v, want those of the new driver: none", got)
	}
	for range src.Objects(t.Context(), blob.Mark{}) {
	}
	store.Close()
	if c.lists != 1 || c.closed != 1 {
		t.Errorf("got %d listings and %d ends, want the source of before to list it, and one end", c.lists, c.closed)
	}
}
