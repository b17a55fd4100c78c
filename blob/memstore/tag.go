package memstore

import (
	"context"
	"fmt"
	"io/fs"
	"maps"

	"github.com/thaw-go/thaw/blob/driver"
)

// Tag adds tags to one object. A Put removes them.
func (d *Driver) Tag(ctx context.Context, key, version string, tags map[string]string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	obj, ok := d.objects[key]
	switch {
	case !ok:
		return fs.ErrNotExist
	case version != "" && version != obj.meta.Version:
		return fmt.Errorf("version is %s: %w", obj.meta.Version, driver.ErrChanged)
	}
	all := map[string]string{}
	maps.Copy(all, obj.tags)
	maps.Copy(all, tags)
	obj.tags = all
	d.objects[key] = obj
	return nil
}

// Tags returns the tags of one object.
func (d *Driver) Tags(ctx context.Context, key string) (map[string]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	obj, err := d.lookup(key)
	return maps.Clone(obj.tags), err
}
