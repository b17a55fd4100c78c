package after

import (
	"context"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream"
)

// Tag returns an action that adds tags to the object; see [blob.Store.Tag]. A job on a
// store that has no tags is blob.ErrUnsupported before anything is read. tags is not
// changed afterwards.
func Tag(tags map[string]string) *stream.After {
	return &stream.After{
		Do: func(ctx context.Context, store *blob.Store, obj blob.Object) error {
			return store.Tag(ctx, obj.Key, tags, &blob.TagOptions{IfVersion: obj.Version})
		},
		Check: func(store *blob.Store) error { return store.CheckTag(tags) },
	}
}
