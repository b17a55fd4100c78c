package s3store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/thaw-go/thaw/blob/driver"
)

// Stat describes one object. Where the bucket has not answered before, a second
// request tells a missing object from a missing bucket.
func (d *Driver) Stat(ctx context.Context, key string) (driver.Object, error) {
	return d.head(ctx, key, "")
}

// head is a Stat of one version, or of any.
func (d *Driver) head(ctx context.Context, key, version string) (driver.Object, error) {
	if err := ctx.Err(); err != nil {
		return driver.Object{}, err
	}
	out, err := d.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &d.bucket, Key: &key, IfMatch: ifMatch(version)}, d.each...)
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
		Version:         versionOf(out.ETag),
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

// missing names a bucket that is not there: the answer to a HEAD has no code.
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

// ReadRange asks for a range of one version. Where a service refuses the range, a
// second request tells whether it lies behind the end.
func (d *Driver) ReadRange(ctx context.Context, key string, offset, length int64, version string) (driver.Range, error) {
	if err := ctx.Err(); err != nil {
		return driver.Range{}, err
	}
	spec := rangeOf(offset, length)
	out, err := d.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &d.bucket, Key: &key, Range: &spec, IfMatch: ifMatch(version)}, d.each...)
	if _, status := answer(err); status == http.StatusRequestedRangeNotSatisfiable {
		return d.behindEnd(ctx, key, offset, version, err)
	}
	if err != nil {
		return driver.Range{}, d.classify(ctx, err)
	}
	d.exists.Store(true)
	if out.ContentRange != nil && out.ContentLength != nil && *out.ContentLength == 0 {
		out.Body.Close()
		return d.behindEnd(ctx, key, offset, version, errNoBytes)
	}
	r, err := d.served(ctx, out, offset, length)
	if err == nil {
		err = sameVersion(r.Object.Version, version)
	}
	if err != nil {
		out.Body.Close()
		return driver.Range{}, err
	}
	r.Object.Key = key
	return r, nil
}

// errNoBytes is what some services give for a range behind the end.
var errNoBytes = errors.New("a range without bytes")

// served checks that a response holds the range that was asked for.
func (d *Driver) served(ctx context.Context, out *s3.GetObjectOutput, offset, length int64) (driver.Range, error) {
	b := &body{driver: d, ctx: ctx, r: out.Body}
	obj := driver.Object{
		Version:         versionOf(out.ETag),
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
		from, to, size, ok := parseContentRange(*out.ContentRange)
		if !ok || from != offset || to != lastOf(offset, length, size) {
			return driver.Range{}, fmt.Errorf("%w: range %q for offset %d and length %d", driver.ErrTransient, *out.ContentRange, offset, length)
		}
		obj.Size, b.left = size, to-from+1
	case offset == 0 && out.ContentLength != nil:
		// The whole object for a part of it: the part is its beginning.
		obj.Size = *out.ContentLength
		b.left = lastOf(0, length, obj.Size) + 1
		b.r = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(out.Body, b.left), out.Body}
	default:
		return driver.Range{}, fmt.Errorf("%w: the range from offset %d was ignored", driver.ErrTransient, offset)
	}
	b.whole = b.left
	return driver.Range{Body: b, Offset: offset, Object: obj}, nil
}

// behindEnd answers for a range that a service refuses to serve.
func (d *Driver) behindEnd(ctx context.Context, key string, offset int64, version string, refusal error) (driver.Range, error) {
	obj, err := d.head(ctx, key, version)
	if err != nil {
		return driver.Range{}, err
	}
	if offset < obj.Size {
		return driver.Range{}, &classified{driver.ErrTransient, fmt.Errorf("offset %d of %d bytes refused: %w", offset, obj.Size, refusal)}
	}
	return driver.Range{Body: http.NoBody, Offset: offset, Object: obj}, nil
}

// body is the part of an object that a response carries.
type body struct {
	driver      *Driver
	ctx         context.Context
	r           io.ReadCloser
	left, whole int64
}

func (b *body) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := b.r.Read(p)
	if int64(n) > b.left {
		n, err = int(b.left), fmt.Errorf("%w: body is longer than %d bytes", driver.ErrTransient, b.whole)
	}
	b.left -= int64(n)
	switch {
	case err == nil || err == io.EOF && b.left == 0:
		return n, err
	case b.ctx.Err() != nil:
		return n, &classified{b.ctx.Err(), err}
	case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF):
		return n, fmt.Errorf("body ended after %d of %d bytes: %w", b.whole-b.left, b.whole, io.ErrUnexpectedEOF)
	}
	return n, &classified{driver.ErrTransient, err}
}

func (b *body) Close() error { return b.r.Close() }

// rangeOf is the header for length bytes from offset, -1 for all.
func rangeOf(offset, length int64) string {
	if length < 0 || length > math.MaxInt64-offset {
		return fmt.Sprintf("bytes=%d-", offset)
	}
	return fmt.Sprintf("bytes=%d-%d", offset, offset+length-1)
}

// lastOf is the offset of the last byte of a range in an object of size bytes.
func lastOf(offset, length, size int64) int64 {
	if length < 0 || length > size-offset {
		return size - 1
	}
	return offset + length - 1
}

// parseContentRange reads "bytes 0-9/100" (RFC 9110, section 14.4). A size that
// is not given makes it useless here.
func parseContentRange(s string) (from, to, size int64, ok bool) {
	spec, isBytes := strings.CutPrefix(s, "bytes ")
	span, total, hasSize := strings.Cut(spec, "/")
	first, last, hasLast := strings.Cut(span, "-")
	from, err1 := strconv.ParseInt(first, 10, 64)
	to, err2 := strconv.ParseInt(last, 10, 64)
	size, err3 := strconv.ParseInt(total, 10, 64)
	ok = isBytes && hasSize && hasLast && errors.Join(err1, err2, err3) == nil && 0 <= from && from <= to && to < size
	return from, to, size, ok
}

// versionOf is an ETag without its quotes: some services list it without them.
func versionOf(etag *string) string { return strings.Trim(aws.ToString(etag), `"`) }

// ifMatch is the header that holds a response to a version; nil for any.
func ifMatch(version string) *string {
	if version == "" {
		return nil
	}
	return aws.String(`"` + version + `"`)
}

// sameVersion compares what was served with what was wanted, if anything was.
func sameVersion(got, want string) error {
	if want == "" || got == want {
		return nil
	}
	return fmt.Errorf("version %q instead of %q: %w", got, want, driver.ErrChanged)
}
