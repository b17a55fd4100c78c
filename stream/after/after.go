package after

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream"
)

// Delete returns an action that deletes the object.
func Delete() *stream.After {
	return &stream.After{Do: func(ctx context.Context, store *blob.Store, obj blob.Object) error {
		return store.Delete(ctx, obj.Key, &blob.DeleteOptions{IfVersion: obj.Version})
	}}
}

// Move returns an action that copies the object into the Store to, under prefix and its
// own key, and deletes it then. It replaces what is there. The copy has the size of the
// object before the deletion; see [blob.Store.Copy] for the rest. The caller closes to
// after the job.
//
// The place that objects are moved to may lie within the source: the job skips what it
// finds there. It is fs.ErrInvalid if all that the source's Store has lies there, as when
// objects are to be moved to themselves.
func Move(to *blob.Store, prefix string) *stream.After {
	place := to.ObjectName(prefix)
	within := func(name string) bool { return strings.HasPrefix(name, place) }
	return &stream.After{
		Do: func(ctx context.Context, store *blob.Store, obj blob.Object) error {
			if _, err := store.Copy(ctx, obj, to, prefix+obj.Key); err != nil {
				return err
			}
			return store.Delete(ctx, obj.Key, &blob.DeleteOptions{IfVersion: obj.Version})
		},
		Check: func(store *blob.Store) error {
			if within(store.ObjectName("")) {
				return fmt.Errorf("%s, where objects are moved to, holds all of %s: %w", place, store.ObjectName(""), fs.ErrInvalid)
			}
			return nil
		},
		Writes: within,
	}
}
