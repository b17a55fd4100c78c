package catalog

import (
	"context"
	"fmt"
	"io/fs"
	"iter"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream"
)

// listMemory is how much memory a list may take, in bytes.
const listMemory = 32 << 20

// list is an object that names others.
type list struct {
	store   *blob.Store // that holds the list
	key     string
	version string
	open    stream.OpenOptions // with a Pool for lists
}

// pin looks the list up. read says how it is decoded; what a list decides itself must
// not be set there.
func pin(ctx context.Context, store *blob.Store, key string, read stream.ReadOptions) (list, error) {
	switch {
	case read.Frame != "":
		return list{}, fmt.Errorf("option Frame: the format of a list is known: %w", fs.ErrInvalid)
	case read.Pool != nil:
		return list{}, fmt.Errorf("option Pool: a list is read with memory of its own: %w", fs.ErrInvalid)
	}
	at, err := store.Stat(ctx, key)
	if err != nil {
		return list{}, err
	}
	read.Pool = stream.NewPool(&stream.PoolOptions{Memory: listMemory, Workers: 1})
	return list{store: store, key: key, version: at.Version, open: stream.OpenOptions{Read: read}}, nil
}

// pinned is an object of which the version is known.
func pinned(version string) *blob.Object { return &blob.Object{Version: version, Size: -1} }

// name is the name of a Source of objects in the order of the list, of that kind.
func (l *list) name(objects *blob.Store, kind string) string {
	return fmt.Sprintf("%s %s %s %s version %s", objects.Name(), kind, l.store.Name(), l.key, l.version)
}

// after yields what follows a mark in a sequence that can only be read from its
// start.
func after(mark blob.Mark, all iter.Seq2[blob.Object, error]) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		passed := int64(0)
		found := mark.Ordinal >= 0 || mark.Key == ""
		for obj, err := range all {
			switch {
			case err != nil:
				yield(blob.Object{}, err)
				return
			case !found:
				found = obj.Key == mark.Key
			case passed < mark.Ordinal:
				passed++
			case !yield(obj, nil):
				return
			}
		}
		switch {
		case !found:
			yield(blob.Object{}, fmt.Errorf("catalog: no object %q to resume after", mark.Key))
		case passed < mark.Ordinal:
			yield(blob.Object{}, fmt.Errorf("catalog: %d objects, the mark is after %d", passed, mark.Ordinal))
		}
	}
}
