package gcsstore

import (
	"context"

	"github.com/thaw-go/thaw/blob/driver"
)

// Copy copies one object, with all that is stored about it, by as many requests as the
// service wants for its size.
func (d *Driver) Copy(ctx context.Context, from driver.Object, key string) error {
	src, err := d.pinned(ctx, from.Key, from.Version)
	if err != nil {
		return err
	}
	_, err = d.bucket.Object(key).CopierFrom(src).Run(ctx)
	return classify(ctx, err)
}

var _ driver.Copier = (*Driver)(nil)
