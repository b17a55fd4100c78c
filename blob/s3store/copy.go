package s3store

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/thaw-go/thaw/blob/driver"
)

// maxCopy is the largest object that one request copies.
const maxCopy = 5 << 30

// Copy copies one object of up to 5 GiB, with its metadata and tags, by two requests: the
// first looks whether it exists in the version, since not every service that speaks S3
// heeds the condition of the second.
func (d *Driver) Copy(ctx context.Context, from driver.Object, key string) error {
	obj, err := d.head(ctx, from.Key, from.Version)
	if err != nil {
		return err
	}
	if obj.Size > maxCopy {
		return fmt.Errorf("a copy of %d bytes by one request: %w", obj.Size, driver.ErrUnsupported)
	}
	source := d.bucket + "/" + escaped(from.Key)
	in := &s3.CopyObjectInput{
		Bucket: &d.bucket, Key: &key, CopySource: &source, CopySourceIfMatch: d.ifMatch(obj.Version),
		ServerSideEncryption: d.opts.Encryption, SSEKMSKeyId: unlessEmpty(d.opts.KMSKeyID),
	}
	_, err = d.client.CopyObject(ctx, in, d.each...)
	if err != nil && d.mayBeWeak(obj.Version, err) {
		in.CopySourceIfMatch = nil
		_, err = d.client.CopyObject(ctx, in, d.each...)
	}
	return d.classify(ctx, err)
}

// escaped returns a key as the header of a copy has it. A plus sign there stands for a
// space.
func escaped(key string) string {
	parts := strings.Split(key, "/")
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(url.PathEscape(p), "+", "%2B")
	}
	return strings.Join(parts, "/")
}

var _ driver.Copier = (*Driver)(nil)
