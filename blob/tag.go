package blob

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/thaw-go/thaw/blob/driver"
)

// TagOptions configures Tag. Nil means the zero value.
type TagOptions struct {
	// IfVersion adds tags only if the object has this version; else the error is
	// [ErrChanged]. Empty means any version. The service may look before: an object
	// that is replaced in between has the tags.
	IfVersion string
}

// Tag adds tags to one object, in place of those of the same names, and keeps the others
// and the version. On GCS tags are the metadata of the object. The error is
// fs.ErrNotExist if no object has the key, fs.ErrInvalid for no tags or an empty name,
// and [ErrUnsupported] if the store has no tags. Two calls at once may lose a tag of one.
// Nil opts mean the zero value.
func (s *Store) Tag(ctx context.Context, key string, tags map[string]string, opts *TagOptions) error {
	if opts == nil {
		opts = &TagOptions{}
	}
	if err := s.CheckTag(tags); err != nil {
		return err
	}
	if err := s.named(key); err != nil {
		return s.wrap(ctx, "tag", key, 0, err)
	}
	_, err := try(ctx, s, "tag", key, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, s.drv.(driver.Tagger).Tag(ctx, s.prefix+key, opts.IfVersion, tags)
	})
	return s.wrap(ctx, "tag", key, 0, err)
}

// CheckTag returns the error with which Tag would refuse tags for every object:
// [ErrUnsupported] or fs.ErrInvalid. It sends no request.
func (s *Store) CheckTag(tags map[string]string) (err error) {
	_, none := tags[""]
	if _, ok := s.drv.(driver.Tagger); !ok {
		err = ErrUnsupported
	} else if len(tags) == 0 || none {
		err = fmt.Errorf("no tags, or one without a name: %w", fs.ErrInvalid)
	}
	return s.wrap(context.Background(), "tag", "", 0, err)
}

// Tags returns the tags of one object. The error is as that of Tag.
func (s *Store) Tags(ctx context.Context, key string) (map[string]string, error) {
	d, ok := s.drv.(driver.Tagger)
	if !ok {
		return nil, s.wrap(ctx, "tag", key, 0, ErrUnsupported)
	}
	if err := s.named(key); err != nil {
		return nil, s.wrap(ctx, "tag", key, 0, err)
	}
	tags, err := try(ctx, s, "tag", key, func(ctx context.Context) (map[string]string, error) { return d.Tags(ctx, s.prefix+key) })
	return tags, s.wrap(ctx, "tag", key, 0, err)
}
