package s3store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/internal/httpstore"
)

// List yields the objects page by page, a request each, and holds one page.
func (d *Driver) List(ctx context.Context, prefix, after string) iter.Seq2[driver.Object, error] {
	return httpstore.Ordered(ctx, d.objects(ctx, prefix, after), prefix, after)
}

// objects yields all pages of a listing. S3 takes whole characters: it may begin
// before after and hold keys without prefix.
func (d *Driver) objects(ctx context.Context, prefix, after string) iter.Seq2[driver.Object, error] {
	return func(yield func(driver.Object, error) bool) {
		sent := httpstore.Valid(prefix)
		if rest := prefix[len(sent):]; rest != "" && utf8.FullRuneInString(rest) {
			return // no key has this prefix: keys are UTF-8
		}
		in := &s3.ListObjectsV2Input{
			Bucket:                   &d.bucket,
			EncodingType:             types.EncodingTypeUrl,
			OptionalObjectAttributes: []types.OptionalObjectAttributes{types.OptionalObjectAttributesRestoreStatus},
			Prefix:                   unlessEmpty(sent),
			StartAfter:               unlessEmpty(httpstore.Valid(after)),
		}
		if d.opts.PageSize > 0 {
			in.MaxKeys = aws.Int32(int32(d.opts.PageSize))
		}
		for {
			page, next, err := d.page(ctx, in)
			if err != nil {
				yield(driver.Object{}, err)
				return
			}
			for _, o := range page {
				if !yield(o, nil) {
					return
				}
			}
			if next == "" {
				return
			}
			in.ContinuationToken, in.StartAfter = &next, nil
		}
	}
}

// page requests one page and returns the token of the next, empty after the last.
func (d *Driver) page(ctx context.Context, in *s3.ListObjectsV2Input) (page []driver.Object, next string, err error) {
	out, err := d.client.ListObjectsV2(ctx, in, d.each...)
	if err != nil {
		return nil, "", d.classify(ctx, err)
	}
	if out.IsTruncated == nil {
		// An error within a success, which the SDK takes for an empty listing.
		return nil, "", fmt.Errorf("%w: the answer is no listing", driver.ErrTransient)
	}
	d.exists.Store(true)
	next = aws.ToString(out.NextContinuationToken)
	if *out.IsTruncated && next == "" {
		return nil, "", errors.New("listing is cut without a token for the rest")
	}
	if !*out.IsTruncated {
		next = ""
	}
	if next != "" && next == aws.ToString(in.ContinuationToken) {
		return nil, "", errors.New("listing gives the same token again")
	}
	page = make([]driver.Object, 0, len(out.Contents))
	for _, o := range out.Contents {
		obj, err := d.describe(o, out.EncodingType == types.EncodingTypeUrl)
		if err != nil {
			return nil, "", err
		}
		page = append(page, obj)
	}
	return page, next, nil
}

func (d *Driver) describe(o types.Object, encoded bool) (driver.Object, error) {
	key := aws.ToString(o.Key)
	if encoded {
		var err error
		if key, err = url.QueryUnescape(key); err != nil {
			return driver.Object{}, fmt.Errorf("listing: key %q: %w", aws.ToString(o.Key), err)
		}
	}
	if o.Size == nil {
		return driver.Object{}, fmt.Errorf("listing: no size for %q: %w", key, driver.ErrUnsupported)
	}
	obj := driver.Object{
		Key:          key,
		Size:         *o.Size,
		Version:      d.tags.Listed(aws.ToString(o.ETag)),
		ModTime:      aws.ToTime(o.LastModified),
		StorageClass: string(o.StorageClass),
	}
	restoring := false
	if r := o.RestoreStatus; r != nil {
		restoring = aws.ToBool(r.IsRestoreInProgress)
		obj.RestoredUntil = aws.ToTime(r.RestoreExpiryDate)
	}
	obj.Archive = archiveState(obj.StorageClass, "", restoring, obj.RestoredUntil)
	return obj, nil
}

func unlessEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
