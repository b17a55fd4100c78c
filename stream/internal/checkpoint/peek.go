package checkpoint

import (
	"context"
	"errors"
	"io/fs"

	"github.com/thaw-go/thaw/blob"
)

// Peek returns the manifest at key of store without its mark, and takes no ownership:
// the object at key, or that of the highest number after it. The manifest is empty
// where a run owns it and has not saved yet. The error is fs.ErrNotExist where there is
// none of either.
func Peek(ctx context.Context, store *blob.Store, key string) (manifest []byte, err error) {
	n := &numberedBlobs{manifestBlobs: manifestBlobs{store: store}, key: key}
	w, missing := n.read(ctx, key)
	for range claimTries {
		if missing == nil || !errors.Is(missing, fs.ErrNotExist) {
			return w.manifest, missing
		}
		numbers, err := n.list(ctx)
		if err != nil || len(numbers) == 0 {
			return nil, errors.Join(err, missing)
		}
		// A run that saves meanwhile deletes it.
		w, missing = n.read(ctx, n.name(numbers[len(numbers)-1]))
	}
	return nil, missing
}
