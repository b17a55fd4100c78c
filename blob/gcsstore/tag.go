package gcsstore

import (
	"context"

	"cloud.google.com/go/storage"

	"github.com/thaw-go/thaw/blob/driver"
)

// Tag adds tags to the metadata of one object, which leaves its generation.
func (d *Driver) Tag(ctx context.Context, key, version string, tags map[string]string) error {
	obj, err := d.pinned(ctx, key, version)
	if err != nil {
		return err
	}
	_, err = obj.Update(ctx, storage.ObjectAttrsToUpdate{Metadata: tags})
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
