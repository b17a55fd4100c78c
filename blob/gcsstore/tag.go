package gcsstore

import (
	"context"
	"fmt"

	"cloud.google.com/go/storage"

	"github.com/thaw-go/thaw/blob/driver"
)

// Tag adds tags to the metadata of one object, which leaves its generation.
func (d *Driver) Tag(ctx context.Context, key, version string, tags map[string]string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	obj := d.bucket.Object(key)
	if version != "" {
		g, ok := generation(version)
		if !ok {
			return fmt.Errorf("version %q is no generation: %w", version, driver.ErrChanged)
		}
		// Not every service that speaks this protocol heeds the condition.
		switch now, err := d.Stat(ctx, key); {
		case err != nil:
			return err
		case now.Version != version:
			return fmt.Errorf("version is %s: %w", now.Version, driver.ErrChanged)
		}
		obj = obj.If(storage.Conditions{GenerationMatch: g})
	}
	_, err := obj.Update(ctx, storage.ObjectAttrsToUpdate{Metadata: tags})
	return classify(ctx, err)
}

// Tags returns the metadata of one object.
func (d *Driver) Tags(ctx context.Context, key string) (map[string]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a, err := d.bucket.Object(key).Attrs(ctx)
	if err != nil {
		return nil, classify(ctx, err)
	}
	return a.Metadata, nil
}

var _ driver.Tagger = (*Driver)(nil)
