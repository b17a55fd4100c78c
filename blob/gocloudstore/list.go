package gocloudstore

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	gocloud "gocloud.dev/blob"

	"github.com/thaw-go/thaw/blob/driver"
)

const (
	pageSize     = 1000    // the largest page of the services
	filePageSize = 1 << 17 // all that a fileblob bucket may hold
)

// List yields the objects page by page and holds one page.
func (d *Driver) List(ctx context.Context, prefix, after string) iter.Seq2[driver.Object, error] {
	return func(yield func(driver.Object, error) bool) {
		last := after
		for page, err := range d.pages(ctx, prefix) {
			if err != nil {
				yield(driver.Object{}, err)
				return
			}
			for _, o := range page {
				if err := ctx.Err(); err != nil {
					yield(driver.Object{}, err)
					return
				}
				if !strings.HasPrefix(o.Key, prefix) || last == after && o.Key <= after && after != "" {
					continue // outside the prefix, or before the start
				}
				if o.Key <= last {
					yield(driver.Object{}, &driver.OrderError{Key: o.Key, After: last})
					return
				}
				last = o.Key
				if !yield(describe(o), nil) {
					return
				}
			}
		}
	}
}

func describe(o *gocloud.ListObject) driver.Object {
	return driver.Object{Key: o.Key, Size: o.Size, Version: versionOf(o.Size, o.ModTime).String(), ModTime: o.ModTime}
}

// pages yields the pages of a listing.
func (d *Driver) pages(ctx context.Context, prefix string) iter.Seq2[[]*gocloud.ListObject, error] {
	return func(yield func([]*gocloud.ListObject, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(nil, err)
			return
		}
		if d.isFile {
			prefix = strings.TrimRight(prefix, "/") // keys that end in a slash lie beside the folder
		}
		opts := &gocloud.ListOptions{Prefix: prefix}
		token := gocloud.FirstPageToken
		for len(token) > 0 {
			page, next, err := d.bucket.ListPage(ctx, token, d.pageSize, opts)
			if err == io.EOF {
				return
			}
			if err == nil && d.isFile {
				if len(next) > 0 {
					err = fmt.Errorf("more than %d files in a fileblob bucket: use package filestore: %w", d.pageSize, driver.ErrUnsupported)
				}
				slices.SortFunc(page, func(a, b *gocloud.ListObject) int { return strings.Compare(a.Key, b.Key) })
			}
			if err != nil {
				yield(nil, classify(ctx, err))
				return
			}
			if !yield(page, nil) {
				return
			}
			token = next
		}
	}
}
