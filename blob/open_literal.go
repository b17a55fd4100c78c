package blob

import (
	"context"
	"errors"
	"io/fs"
	"strings"
)

// literal cuts the key after the longest folder that exists by its literal name although
// that holds glob characters. rest is what may be a glob; it is empty if an object or
// folder has the whole key as its name.
//
// It looks by listings, which a glob needs anyway and which need no further right: one
// for the whole key, and one for each folder whose name holds glob characters, up to
// the first that does not exist.
func (t *target) literal(ctx context.Context) (folder, rest string, err error) {
	if t.NotFolder != nil || !hasMeta(t.Key) {
		return "", t.Key, nil // the Opener has looked
	}
	for listed, err := range t.store("").listed(ctx, t.prefix+t.Key, "", nil) {
		if err != nil {
			return "", "", t.store("").wrap(ctx, "list", "", 0, err)
		}
		obj := objectOf(listed.Key[len(t.prefix):], &listed)
		key := obj.Key
		switch {
		case strings.HasSuffix(t.Key, "/") || strings.HasPrefix(key, t.Key+"/"):
			return t.Key, "", nil
		case key == t.Key && !obj.IsFolder():
			t.IsObject = true
			return "", t.Key, nil
		}
		// Something else begins so. A folder of the name comes later, if at all.
		var why error
		if t.holds(ctx, t.Key+"/", &why) {
			return t.Key, "", nil
		}
		if !errors.Is(why, fs.ErrNotExist) {
			return "", "", why
		}
		break
	}
	for {
		i := len(folder) + strings.IndexAny(t.Key[len(folder):], globMeta)
		if i < len(folder) {
			break
		}
		n := strings.IndexByte(t.Key[i:], '/') + 1
		if n == 0 {
			break
		}
		var why error
		if !t.holds(ctx, t.Key[:i+n], &why) {
			if !errors.Is(why, fs.ErrNotExist) {
				return "", "", why
			}
			break
		}
		folder = t.Key[:i+n]
	}
	return folder, t.Key[len(folder):], nil
}

// holds reports whether anything lies in a folder, its own marker included. If not, it
// sets *why to the reason.
func (t *target) holds(ctx context.Context, folder string, why *error) bool {
	s := t.store(folder)
	for _, err := range s.listed(ctx, s.prefix, "", nil) {
		if err != nil {
			*why = s.wrap(ctx, "list", "", 0, err)
			return false
		}
		return true
	}
	*why = fs.ErrNotExist
	return false
}
