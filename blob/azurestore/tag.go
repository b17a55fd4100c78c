package azurestore

import (
	"context"
	"fmt"
	"maps"

	"github.com/thaw-go/thaw/blob/driver"
)

// Tag adds tags to one object by three requests: the first looks for the version, the
// second reads the tags, and the third replaces them by all. The service has a bound of
// ten tags an object, and none in accounts with a hierarchical namespace.
func (d *Driver) Tag(ctx context.Context, key, version string, tags map[string]string) error {
	switch now, err := d.Stat(ctx, key); {
	case err != nil:
		return err
	case version != "" && now.Version != version:
		return fmt.Errorf("version is %s: %w", now.Version, driver.ErrChanged)
	}
	all, err := d.Tags(ctx, key)
	if err != nil {
		return err
	}
	maps.Copy(all, tags)
	_, err = d.container.NewBlobClient(key).SetTags(once(ctx), all, nil)
	return classify(ctx, err)
}

// Tags returns the tags of one object.
func (d *Driver) Tags(ctx context.Context, key string) (map[string]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := missing(key); err != nil {
		return nil, err
	}
	res, err := d.container.NewBlobClient(key).GetTags(once(ctx), nil)
	if err != nil {
		return nil, classify(ctx, err)
	}
	all := map[string]string{}
	for _, t := range res.BlobTagSet {
		all[value(t.Key)] = value(t.Value)
	}
	return all, nil
}

var _ driver.Tagger = (*Driver)(nil)
