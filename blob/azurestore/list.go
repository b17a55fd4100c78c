package azurestore

import (
	"context"
	"errors"
	"iter"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/internal/httpstore"
)

// List yields the objects page by page and holds one page. It requests the listing from
// its start and leaves out what comes before after: in an account with folders the
// service would begin by their order.
func (d *Driver) List(ctx context.Context, prefix, after string) iter.Seq2[driver.Object, error] {
	return httpstore.Ordered(ctx, d.objects(ctx, prefix), prefix, after)
}

// objects yields what the service lists below a prefix.
func (d *Driver) objects(ctx context.Context, prefix string) iter.Seq2[driver.Object, error] {
	return func(yield func(driver.Object, error) bool) {
		most := int32(d.pageSize)
		opts := &container.ListBlobsFlatOptions{MaxResults: &most, ResponseFormat: container.StorageResponseFormatXML}
		opts.Include.Metadata = true // which marks directories in accounts without folders
		if p := plainPrefix(prefix); p != "" {
			opts.Prefix = &p
		}
		pages := d.container.NewListBlobsFlatPager(opts)
		for pages.More() {
			page, err := pages.NextPage(once(ctx))
			if err == nil && page.Segment == nil {
				err = errors.New("a page of the listing has no objects element")
			}
			if err != nil {
				yield(driver.Object{}, classify(ctx, err))
				return
			}
			for _, item := range page.Segment.BlobItems {
				obj, ok, err := d.describe(item)
				if err != nil {
					yield(driver.Object{}, err)
					return
				}
				if ok && !yield(obj, nil) {
					return
				}
			}
		}
	}
}

// describe returns the object of a listing's item. ok is false for a directory.
func (d *Driver) describe(item *container.BlobItem) (obj driver.Object, ok bool, err error) {
	p := item.Properties
	if item.Name == nil || p == nil || p.ContentLength == nil {
		return driver.Object{}, false, errors.New("an entry of the listing has no name or no size")
	}
	if isDirectory(value(p.ResourceType), item.Metadata, *p.ContentLength) {
		return driver.Object{}, false, nil
	}
	obj = driver.Object{
		Key:             *item.Name,
		Size:            *p.ContentLength,
		Version:         d.tags.Listed(string(value(p.ETag))),
		ModTime:         value(p.LastModified),
		ContentType:     value(p.ContentType),
		ContentEncoding: value(p.ContentEncoding),
	}
	var state string
	if p.AccessTier != nil {
		obj.StorageClass = string(*p.AccessTier)
	}
	if p.ArchiveStatus != nil {
		state = string(*p.ArchiveStatus)
	}
	obj.Archive = archive(obj.StorageClass, state)
	return obj, true, nil
}
