package blob

import (
	"context"
	"fmt"
	"iter"
	"strings"
)

// ListOptions narrows a listing. Nil means the zero value. All that is set must
// hold; everything is relative to the Store.
type ListOptions struct {
	// Prefix is what every key begins with, byte for byte: "a" covers "a/b"
	// and "a-b". Empty means every key.
	Prefix string

	// Glob is matched against the whole key: * and ? stay within one path
	// element, ** as an element stands for any number of them, [a-z] and
	// [^a-z] for one character, {a,b} for one of several; a backslash takes
	// the meaning from the next character. What comes before the first of
	// these is asked of the store as a prefix. Empty means every key.
	Glob string

	// After leaves out every key up to and including this one. Empty means
	// none.
	After string
}

// List is a Source of the store's objects in ascending byte order of keys.
// Nothing is asked of the store before Objects is ranged over. It streams: memory does not grow
// with the number of objects. A listing that is out of order or names a key
// twice is an error, since a job that resumes by key would lose objects.
// Folder markers (empty objects whose key ends in "/") are yielded like
// others, but for that of the folder that the Store stands for.
//
// The Source's name is the store's with what opts sets. A malformed glob is
// the only pair that Objects yields.
func (s *Store) List(opts *ListOptions) Source {
	var o ListOptions
	if opts != nil {
		o = *opts
	}
	return Source{
		Store: s,
		Name:  o.name(s.name),
		Objects: func(ctx context.Context, after Mark) iter.Seq2[Object, error] {
			return s.list(ctx, o, max(o.After, after.Key))
		},
	}
}

// name adds what is set to the name of the store.
func (o *ListOptions) name(store string) string {
	var b strings.Builder
	b.WriteString(store)
	if o.Prefix != "" {
		fmt.Fprintf(&b, " prefix %q", o.Prefix)
	}
	if o.Glob != "" {
		fmt.Fprintf(&b, " glob %q", o.Glob)
	}
	if o.After != "" {
		fmt.Fprintf(&b, " after %q", o.After)
	}
	return b.String()
}

// prefix is what the store is asked for; ok is false when nothing can match.
func (o *ListOptions) prefix() (prefix string, ok bool) {
	head := globHead(o.Glob)
	switch {
	case strings.HasPrefix(head, o.Prefix):
		return head, true
	case strings.HasPrefix(o.Prefix, head):
		return o.Prefix, true
	}
	return "", false
}

// list yields what o selects of the keys greater than after.
func (s *Store) list(ctx context.Context, o ListOptions, after string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		fail := func(err error) { yield(Object{}, s.wrap(ctx, "list", "", -1, err)) }
		if err := validGlob(o.Glob); err != nil {
			fail(err)
			return
		}
		prefix, ok := o.prefix()
		if !ok {
			return
		}
		full := s.prefix + prefix
		last := ""
		if after != "" {
			last = s.prefix + after
		}
		for obj, err := range s.drv.List(ctx, full, last) {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				fail(err)
				return
			}
			if err := follows(last, full, obj); err != nil {
				fail(err)
				return
			}
			last = obj.Key
			obj.Key = obj.Key[len(s.prefix):]
			if obj.Key == "" && obj.Size == 0 {
				continue
			}
			if matchGlob(o.Glob, obj.Key) && !yield(obj, nil) {
				return
			}
		}
	}
}

// follows checks what a driver promises of a listing.
func follows(last, prefix string, obj Object) error {
	switch {
	case obj.Key <= last:
		return fmt.Errorf("listing out of order: %q after %q", obj.Key, last)
	case !strings.HasPrefix(obj.Key, prefix):
		return fmt.Errorf("listing of prefix %q gave %q", prefix, obj.Key)
	case obj.Size < 0:
		return fmt.Errorf("listing gave %q a size of %d", obj.Key, obj.Size)
	}
	return nil
}
