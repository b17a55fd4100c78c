package stream

import (
	"context"
	"fmt"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream/internal/checkpoint"
)

// ReadManifest reads the manifest that [BlobCheckpoint] keeps at key of store, or
// [FileCheckpoint] in the file key of a folder. It takes no ownership, and may be called
// while a job runs: it returns what was saved last. Where a run has begun and not saved
// yet, the manifest is that of a job of which nothing was read. The caller closes the
// store.
//
// The error is fs.ErrNotExist if there is no manifest, and as that of [ParseManifest]
// for what is none.
func ReadManifest(ctx context.Context, store *blob.Store, key string) (*Manifest, error) {
	data, err := checkpoint.Peek(ctx, store, key)
	if err != nil {
		return nil, err
	}
	if len(data) == 0 {
		return &Manifest{Format: manifestFormat}, nil
	}
	m, err := parseManifest(data)
	if err != nil {
		return nil, fmt.Errorf("stream: %q in %s: %w", key, store.Name(), err)
	}
	return m, nil
}
