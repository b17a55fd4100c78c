package s3store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/thaw-go/thaw/blob/driver"
)

// signedSize is the largest body that is read before it is sent, so that its
// checksum stands in the request: a service that takes a body cut short for whole
// is found out.
const signedSize = 16 << 20

// Put writes one object by one request, up to 16 MiB with its checksum. Conditions are
// If-None-Match: * and If-Match. A write that meets another one under way is
// driver.ErrConflict too, and writes nothing.
func (d *Driver) Put(ctx context.Context, key string, r io.Reader, size int64, cond driver.Condition) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	in := &s3.PutObjectInput{
		Bucket:               &d.bucket,
		Key:                  &key,
		ContentLength:        &size,
		ContentType:          aws.String("application/octet-stream"),
		ServerSideEncryption: d.opts.Encryption,
		SSEKMSKeyId:          unlessEmpty(d.opts.KMSKeyID),
		IfMatch:              d.ifMatch(cond.Version),
	}
	if cond.Version != "" && d.tags.Weak() {
		return "", errWeak
	}
	if cond.Absent {
		in.IfNoneMatch = aws.String("*")
	}
	whole := &wholeReader{r: r, left: size}
	each := d.each
	if size <= signedSize {
		data := make([]byte, size)
		if _, err := io.ReadFull(whole, data); err != nil {
			return "", err
		}
		if size == 0 {
			whole.end()
		}
		if whole.err != nil {
			return "", whole.err
		}
		in.Body = bytes.NewReader(data)
	} else {
		in.Body, each = whole, append(slices.Clone(each), unsigned)
	}
	out, err := d.client.PutObject(ctx, in, each...)
	switch {
	case err == nil:
		d.exists.Store(true)
		return d.written(ctx, key, out)
	case whole.err != nil && ctx.Err() == nil:
		return "", whole.err
	}
	if d.mayBeWeak(cond.Version, err) {
		if _, err := d.head(ctx, key, ""); err == nil && d.tags.Weak() {
			return "", errWeak
		}
	}
	return "", refused(cond, d.classify(ctx, err))
}

// errWeak refuses a condition that never holds.
var errWeak = fmt.Errorf("put if version: the service states weak ETags, which match no condition: %w", driver.ErrUnsupported)

// written returns the version of a Put that succeeded.
func (d *Driver) written(ctx context.Context, key string, out *s3.PutObjectOutput) (string, error) {
	if version := d.tags.Version(aws.ToString(out.ETag)); version != "" {
		return version, nil
	}
	obj, err := d.head(ctx, key, "")
	if err != nil {
		return "", fmt.Errorf("version after a write that succeeded: %w", err)
	}
	return obj.Version, nil
}

// refused returns the class of a failed condition. An object that is gone fails the
// condition on its version; another write under way may fail either condition.
func refused(cond driver.Condition, err error) error {
	code, status := answer(err)
	switch {
	case cond == driver.Condition{}:
		return err
	case status == http.StatusPreconditionFailed, code == "OperationAborted",
		cond.Version != "" && code != "NoSuchBucket" && errors.Is(err, fs.ErrNotExist):
		return &classified{driver.ErrConflict, err}
	}
	return err
}

// unsigned spares a long body the pass before it is sent: it can be read once
// only. With checksums on, the SDK sends them after the body instead.
func unsigned(o *s3.Options) {
	if o.RequestChecksumCalculation == aws.RequestChecksumCalculationWhenRequired {
		o.APIOptions = append(o.APIOptions, v4.SwapComputePayloadSHA256ForUnsignedPayloadMiddleware)
	}
}

// wholeReader keeps the last byte back until r has ended without error: a service
// writes the object when it has all bytes.
type wholeReader struct {
	r    io.Reader
	left int64
	err  error
}

func (w *wholeReader) Read(p []byte) (int, error) {
	switch {
	case w.err != nil:
		return 0, w.err
	case w.left == 0:
		return 0, io.EOF
	case len(p) == 0:
		return 0, nil
	case w.left == 1:
		if _, err := io.ReadFull(w.r, p[:1]); err != nil {
			return 0, w.fail(err)
		}
		if w.end(); w.err != nil {
			return 0, w.err
		}
		w.left = 0
		return 1, io.EOF
	}
	n, err := w.r.Read(p[:min(int64(len(p)), w.left-1)])
	w.left -= int64(n)
	if err != nil {
		return n, w.fail(err)
	}
	return n, nil
}

// end makes sure that nothing follows.
func (w *wholeReader) end() {
	var more [1]byte
	switch n, err := io.ReadFull(w.r, more[:]); {
	case n > 0:
		w.err = errors.New("more bytes than the declared size")
	case err != io.EOF:
		w.err = err
	}
}

// fail keeps why the bytes did not come.
func (w *wholeReader) fail(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	w.err = err
	return err
}

// Delete deletes one object by two requests: the first looks whether it exists in the
// version, which the response of S3 does not state. The second names the version too;
// not every service that speaks S3 heeds it.
func (d *Driver) Delete(ctx context.Context, key, version string) error {
	if _, err := d.head(ctx, key, version); err != nil {
		return err
	}
	in := &s3.DeleteObjectInput{Bucket: &d.bucket, Key: &key, IfMatch: d.ifMatch(version)}
	_, err := d.client.DeleteObject(ctx, in, d.each...)
	if err != nil && (d.mayBeWeak(version, err) || version != "" && errors.Is(d.classify(ctx, err), driver.ErrUnsupported)) {
		in.IfMatch = nil
		_, err = d.client.DeleteObject(ctx, in, d.each...)
	}
	return d.classify(ctx, err)
}
