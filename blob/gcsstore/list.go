package gcsstore

import (
	"context"
	"errors"
	"iter"

	"cloud.google.com/go/storage"
	"google.golang.org/api/iterator"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/internal/httpstore"
)

// listed are the attributes that a listing requests: all of them would be ten times as
// long.
var listed = []string{"Name", "Size", "Generation", "Updated", "ContentType", "ContentEncoding", "StorageClass"}

// List yields the objects page by page and holds one page. It requests what begins at
// after, and leaves after out.
func (d *Driver) List(ctx context.Context, prefix, after string) iter.Seq2[driver.Object, error] {
	return httpstore.Ordered(ctx, d.objects(ctx, prefix, after), prefix, after)
}

// objects yields what the service lists from after on.
func (d *Driver) objects(ctx context.Context, prefix, after string) iter.Seq2[driver.Object, error] {
	return func(yield func(driver.Object, error) bool) {
		query := &storage.Query{
			Prefix:      httpstore.Valid(prefix),
			StartOffset: httpstore.Valid(after),
			Projection:  storage.ProjectionNoACL,
		}
		if err := query.SetAttrSelection(listed); err != nil {
			yield(driver.Object{}, err)
			return
		}
		it := d.bucket.Objects(ctx, query)
		it.PageInfo().MaxSize = d.pageSize
		for {
			a, err := it.Next()
			if errors.Is(err, iterator.Done) {
				return
			}
			if err != nil {
				yield(driver.Object{}, classify(ctx, err))
				return
			}
			if !yield(describe(a), nil) {
				return
			}
		}
	}
}
