package cli

import (
	"context"
	"iter"
	"strings"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
)

// IsIndex tells whether a key is that of an index that the argument what does not
// name itself: it lies beside an object and is none of the data.
func IsIndex(what, key string) bool {
	return strings.HasSuffix(key, codec.IndexExtension) && !strings.HasSuffix(what, codec.IndexExtension)
}

// WithoutIndexes is src less the indexes that what does not name.
func WithoutIndexes(what string, src blob.Source) blob.Source {
	objects := src.Objects
	src.Objects = func(ctx context.Context, after blob.Mark) iter.Seq2[blob.Object, error] {
		return func(yield func(blob.Object, error) bool) {
			for obj, err := range objects(ctx, after) {
				if err == nil && IsIndex(what, obj.Key) {
					continue
				}
				if !yield(obj, err) {
					return
				}
			}
		}
	}
	return src
}
