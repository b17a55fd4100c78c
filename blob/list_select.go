package blob

import (
	"context"
	"errors"
	"io/fs"
	"strings"
)

// valid checks the globs.
func (o *ListOptions) valid() error {
	if err := validGlob(o.Glob); err != nil {
		return err
	}
	for _, glob := range o.Exclude {
		if glob == "" {
			return errors.New("an empty glob excludes nothing")
		}
		if err := validGlob(glob); err != nil {
			return err
		}
	}
	return nil
}

// matches reports whether the globs select an object. What could not be looked at is
// selected if it, or a key below it, may be.
func (o *ListOptions) matches(obj *Object) bool {
	name, isFolder := strings.CutSuffix(obj.Key, "/")
	switch {
	case obj.Size >= 0:
		return matchGlob(o.Glob, obj.Key) && !o.excludes(obj.Key)
	case isFolder:
		return (matchGlob(o.Glob, name) || canHold(o.Glob, obj.Key)) && !o.excludes(obj.Key)
	}
	return matchGlob(o.Glob, name) && !o.excludes(name)
}

// excludes reports whether a key, or a folder that holds it, is excluded.
func (o *ListOptions) excludes(key string) bool {
	for _, glob := range o.Exclude {
		folders, only := strings.CutSuffix(glob, "/")
		if !only && matchGlob(glob, key) {
			return true
		}
		for i, c := range []byte(key) {
			if c == '/' && matchGlob(folders, key[:i]) {
				return true
			}
		}
	}
	return false
}

// enter returns a function that reports whether a folder of the driver can hold what o
// selects. Nil means that every folder can.
func (s *Store) enter(o *ListOptions) func(folder string) bool {
	if o.Glob == "" && len(o.Exclude) == 0 {
		return nil
	}
	return func(folder string) bool {
		key, ok := strings.CutPrefix(folder, s.prefix)
		if !ok || key == "" {
			return true // on the way to the Store's own
		}
		return canHold(o.Glob, key) && !o.excludes(key)
	}
}

// unlisted returns why the folder that the Store stands for could not be listed.
func (s *Store) unlisted(ctx context.Context) error {
	if _, err := s.drv.Stat(ctx, s.prefix); err != nil {
		return err
	}
	return fs.ErrInvalid
}
