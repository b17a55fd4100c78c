package blob_test

import (
	"context"
	"iter"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	_ "github.com/thaw-go/thaw/blob/memstore"
)

// counting counts what is asked of a driver that it hides the traits of.
type counting struct {
	driver.Driver
	lists, closed int
}

func (c *counting) List(ctx context.Context, prefix, after string) iter.Seq2[driver.Object, error] {
	c.lists++
	return c.Driver.List(ctx, prefix, after)
}

func (c *counting) Close() error { c.closed++; return nil }

// The driver that Wrap returns takes the place of the one that was opened in
// everything: traits, listings and the end.
func TestWrap(t *testing.T) {
	t.Parallel()
	c := &counting{}
	store, err := blob.Open(t.Context(), "mem:", &blob.OpenOptions{Wrap: func(d driver.Driver) driver.Driver {
		c.Driver = d
		return c
	}})
	if err != nil {
		t.Fatal(err)
	}
	if got := store.Traits(); got != (blob.Traits{}) {
		t.Errorf("got traits %+v, want those of the new driver: none", got)
	}
	for range store.List(nil).Objects(t.Context(), blob.Mark{}) {
	}
	store.Close()
	if c.lists != 1 || c.closed != 1 {
		t.Errorf("got %d listings and %d ends, want one of each", c.lists, c.closed)
	}
}
