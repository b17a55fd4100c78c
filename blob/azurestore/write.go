package azurestore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"

	"github.com/thaw-go/thaw/blob/driver"
)

const (
	// blockSize is what is written in one request, and what a write holds.
	blockSize = 8 << 20

	// maxBlocks is how many blocks an object may have.
	maxBlocks = blockblob.MaxBlocks
)

var octets = "application/octet-stream"

// Put writes one object: by one request up to 8 MiB, else in blocks, of which the last
// request makes an object. It holds one block: 8 MiB, and more only for objects of more
// than 390 GiB.
func (d *Driver) Put(ctx context.Context, key string, r io.Reader, size int64, cond driver.Condition) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if err := missing(key); err != nil {
		return "", fmt.Errorf("key %q: %w", key, fs.ErrInvalid)
	}
	client := d.container.NewBlockBlobClient(key)
	if cond.Version != "" && d.tags.Weak() {
		return "", errWeak
	}
	conditions := d.conditionsOf(cond)
	body := &exact{r: r, left: size}
	if size <= blockSize {
		data, err := io.ReadAll(body)
		if err != nil {
			return "", refused(ctx, err, cond)
		}
		res, err := client.Upload(once(ctx), streaming.NopCloser(bytes.NewReader(data)), &blockblob.UploadOptions{
			HTTPHeaders:      &blob.HTTPHeaders{BlobContentType: &octets},
			AccessConditions: conditions,
		})
		if err != nil {
			return "", d.refused(ctx, key, err, cond)
		}
		return d.version(res.ETag), nil
	}
	res, err := client.UploadStream(once(ctx), body, &blockblob.UploadStreamOptions{
		BlockSize:        max(blockSize, (size+maxBlocks-1)/maxBlocks),
		Concurrency:      1,
		HTTPHeaders:      &blob.HTTPHeaders{BlobContentType: &octets},
		AccessConditions: conditions,
	})
	if err != nil {
		return "", d.refused(ctx, key, err, cond)
	}
	return d.version(res.ETag), nil
}

func (d *Driver) conditionsOf(cond driver.Condition) *blob.AccessConditions {
	if cond.Absent {
		anything := azcore.ETagAny
		return &blob.AccessConditions{ModifiedAccessConditions: &blob.ModifiedAccessConditions{IfNoneMatch: &anything}}
	}
	return d.ifMatch(cond.Version)
}

// errWeak refuses a condition that never holds.
var errWeak = fmt.Errorf("put if version: the service states weak ETags, which match no condition: %w", driver.ErrUnsupported)

// refused is the function refused for a write, and finds out whether the service's ETags
// are weak.
func (d *Driver) refused(ctx context.Context, key string, err error, cond driver.Condition) error {
	if d.mayBeWeak(cond.Version, err) {
		if _, err := d.Stat(ctx, key); err == nil && d.tags.Weak() {
			return errWeak
		}
	}
	return refused(ctx, err, cond)
}

// refused returns the class of a failed write: a condition that does not hold is a
// conflict, one on the version of an object that is gone included.
func refused(ctx context.Context, err error, cond driver.Condition) error {
	code := codeOf(err)
	err = classify(ctx, err)
	switch {
	case errors.Is(err, driver.ErrChanged),
		code == "BlobAlreadyExists",
		code == "InvalidBlockList", // another writer's last request dropped the blocks
		code == "BlobNotFound" && cond.Version != "":
		return fmt.Errorf("%w (%v)", driver.ErrConflict, err)
	}
	return err
}

// exact is a reader that fails unless it returns exactly the declared bytes: an early
// end would make an object of what came before it.
type exact struct {
	r    io.Reader
	left int64
}

func (e *exact) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	if e.left -= int64(n); e.left < 0 {
		return 0, errors.New("the reader gives more than the size announced")
	}
	if err == io.EOF && e.left > 0 {
		return n, fmt.Errorf("the reader gives %d bytes less than announced: %w", e.left, io.ErrUnexpectedEOF)
	}
	return n, err
}
