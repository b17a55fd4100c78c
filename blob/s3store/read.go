package s3store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/internal/httpstore"
)

// Stat describes one object by one request. If the bucket has never answered, a second
// request finds out whether it is the object or the bucket that is missing.
func (d *Driver) Stat(ctx context.Context, key string) (driver.Object, error) {
	return d.head(ctx, key, "")
}

// head is a Stat of one version, or of any.
func (d *Driver) head(ctx context.Context, key, version string) (driver.Object, error) {
	if err := ctx.Err(); err != nil {
		return driver.Object{}, err
	}
	out, err := d.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &d.bucket, Key: &key, IfMatch: d.ifMatch(version)}, d.each...)
	if err != nil && d.mayBeWeak(version, err) {
		obj, err := d.head(ctx, key, "")
		if err != nil {
			return driver.Object{}, err
		}
		return obj, sameVersion(obj.Version, version)
	}
	if err != nil {
		return driver.Object{}, d.missing(ctx, d.classify(ctx, err))
	}
	d.exists.Store(true)
	if out.ContentLength == nil {
		return driver.Object{}, fmt.Errorf("no size in the answer: %w", driver.ErrUnsupported)
	}
	obj := driver.Object{
		Key:             key,
		Size:            *out.ContentLength,
		Version:         d.tags.Version(aws.ToString(out.ETag)),
		ModTime:         aws.ToTime(out.LastModified),
		ContentType:     aws.ToString(out.ContentType),
		ContentEncoding: aws.ToString(out.ContentEncoding),
		StorageClass:    string(out.StorageClass),
	}
	restoring, until := parseRestore(aws.ToString(out.Restore))
	obj.Archive = archiveState(obj.StorageClass, string(out.ArchiveStatus), restoring, until)
	obj.RestoredUntil = until
	return obj, sameVersion(obj.Version, version)
}

// missing names a bucket that does not exist: the response to a HEAD has no code.
func (d *Driver) missing(ctx context.Context, err error) error {
	if !errors.Is(err, fs.ErrNotExist) || d.exists.Load() {
		return err
	}
	_, bucket := d.client.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &d.bucket}, d.each...)
	if _, status := answer(bucket); status == http.StatusNotFound {
		return &classified{fs.ErrNotExist, fmt.Errorf("bucket %q does not exist: %w", d.bucket, bucket)}
	}
	d.exists.Store(d.exists.Load() || bucket == nil)
	return err
}

// ReadRange requests a range of one version. If the service refuses the range, a second
// request finds out whether it begins after the end.
func (d *Driver) ReadRange(ctx context.Context, key string, offset, length int64, version string) (driver.Range, error) {
	if err := ctx.Err(); err != nil {
		return driver.Range{}, err
	}
	spec := rangeOf(offset, length)
	out, err := d.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &d.bucket, Key: &key, Range: &spec, IfMatch: d.ifMatch(version)}, d.each...)
	if err != nil && d.mayBeWeak(version, err) {
		if _, err := d.head(ctx, key, ""); err != nil {
			return driver.Range{}, err
		}
		if d.tags.Weak() {
			return d.ReadRange(ctx, key, offset, length, version)
		}
	}
	if _, status := answer(err); status == http.StatusRequestedRangeNotSatisfiable {
		return d.afterEnd(ctx, key, offset, version, err)
	}
	if err != nil {
		return driver.Range{}, d.classify(ctx, err)
	}
	d.exists.Store(true)
	if out.ContentRange != nil && out.ContentLength != nil && *out.ContentLength == 0 {
		out.Body.Close()
		return d.afterEnd(ctx, key, offset, version, errNoBytes)
	}
	obj, part, err := d.answered(key, out)
	if err == nil {
		err = sameVersion(obj.Version, version)
	}
	var due int64
	if err == nil {
		due, err = part.Due(offset, length)
	}
	if err != nil {
		out.Body.Close()
		return driver.Range{}, err
	}
	body := httpstore.NewBody(ctx, out.Body, due, func(err error) error { return cutShort(ctx, err) })
	return driver.Range{Body: body, Offset: offset, Object: obj}, nil
}

// cutShort returns the class of what ends a body: below the protocol nothing is final.
func cutShort(ctx context.Context, err error) error {
	if end := ctx.Err(); end != nil {
		return &classified{end, err}
	}
	return &classified{driver.ErrTransient, err}
}

// errNoBytes is the response of some services to a range after the end.
var errNoBytes = errors.New("a range without bytes")

// answered describes what a response carries, and which part of it.
func (d *Driver) answered(key string, out *s3.GetObjectOutput) (obj driver.Object, s httpstore.Served, err error) {
	obj = driver.Object{
		Key:             key,
		Version:         d.tags.Version(aws.ToString(out.ETag)),
		ModTime:         aws.ToTime(out.LastModified),
		ContentType:     aws.ToString(out.ContentType),
		ContentEncoding: aws.ToString(out.ContentEncoding),
		StorageClass:    string(out.StorageClass),
	}
	restoring, until := parseRestore(aws.ToString(out.Restore))
	obj.Archive = archiveState(obj.StorageClass, "", restoring, until)
	obj.RestoredUntil = until
	switch {
	case out.ContentRange != nil:
		s, err = httpstore.ContentRange(*out.ContentRange)
	case obj.Version == "": // an error within a success, maybe
		err = fmt.Errorf("%w: the answer is no object", driver.ErrTransient)
	case out.ContentLength != nil: // 200 for 206: the whole object
		s = httpstore.Served{Count: *out.ContentLength, Size: *out.ContentLength}
	default:
		err = fmt.Errorf("no size in the answer: %w", driver.ErrUnsupported)
	}
	obj.Size = s.Size
	return obj, s, err
}

// afterEnd answers a range that the service has refused.
func (d *Driver) afterEnd(ctx context.Context, key string, offset int64, version string, refusal error) (driver.Range, error) {
	obj, err := d.head(ctx, key, version)
	if err != nil {
		return driver.Range{}, err
	}
	if offset < obj.Size {
		return driver.Range{}, &classified{driver.ErrTransient, fmt.Errorf("offset %d of %d bytes refused: %w", offset, obj.Size, refusal)}
	}
	return driver.Range{Body: http.NoBody, Offset: offset, Object: obj}, nil
}

// rangeOf returns the header for length bytes from offset, -1 for all.
func rangeOf(offset, length int64) string {
	if length < 0 || length > math.MaxInt64-offset {
		return fmt.Sprintf("bytes=%d-", offset)
	}
	return fmt.Sprintf("bytes=%d-%d", offset, offset+length-1)
}

// ifMatch returns the header that requests a version; nil for none.
func (d *Driver) ifMatch(version string) *string { return unlessEmpty(d.tags.Match(version)) }

// mayBeWeak reports whether a condition may have been refused since the service's
// ETags are weak: none was seen yet.
func (d *Driver) mayBeWeak(version string, err error) bool {
	_, status := answer(err)
	return status == http.StatusPreconditionFailed && version != "" && d.tags.Unknown()
}

// sameVersion compares the version of a response with the one requested; an empty want
// takes any.
func sameVersion(got, want string) error {
	if want == "" || got == want {
		return nil
	}
	return fmt.Errorf("version %q instead of %q: %w", got, want, driver.ErrChanged)
}
