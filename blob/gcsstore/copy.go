package gcsstore

import (
	"context"
	"fmt"

	"cloud.google.com/go/storage"

	"github.com/thaw-go/thaw/blob/driver"
)

// Copy copies one object, with all that is stored about it, by as many requests as the
// service wants for its size.
func (d *Driver) Copy(ctx context.Context, from driver.Object, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	src := d.bucket.Object(from.Key)
	if from.Version != "" {
		g, ok := generation(from.Version)
		if !ok {
			return fmt.Errorf("version %q is no generation: %w", from.Version, driver.ErrChanged)
		}
		src = src.If(storage.Conditions{GenerationMatch: g})
	}
	// Not every service that speaks this protocol heeds the condition.
	switch now, err := d.Stat(ctx, from.Key); {
	case err != nil:
		return err
	case from.Version != "" && now.Version != from.Version:
		return fmt.Errorf("version is %s: %w", now.Version, driver.ErrChanged)
	}
	_, err := d.bucket.Object(key).CopierFrom(src).Run(ctx)
	return classify(ctx, err)
}

var _ driver.Copier = (*Driver)(nil)
