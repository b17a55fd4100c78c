package cli

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/thaw-go/thaw/blob"
)

// errNoKey says that an argument names a folder or a bucket.
var errNoKey = usage("name a file, or the URL of an object: this is a folder")

// At opens the store around one file or object, which need not exist, and returns its
// key there. The folder of a file must exist. The caller closes the store. Messages go on
// naming other objects until [Console.Reads] is called.
func At(ctx context.Context, what string, c *Console) (store *blob.Store, key string, err error) {
	u, err := url.Parse(what)
	if err != nil || !strings.Contains(what, "://") {
		path, err := filepath.Abs(what)
		if err != nil {
			return nil, "", err
		}
		if strings.HasSuffix(filepath.ToSlash(what), "/") {
			return nil, "", fmt.Errorf("%s: %w", Key(what), errNoKey)
		}
		path = filepath.ToSlash(path)
		if !strings.HasPrefix(path, "/") {
			path = "/" + path // a drive letter
		}
		u = &url.URL{Scheme: "file", Path: path}
	}
	slash := strings.LastIndexByte(u.Path, '/')
	if key = u.Path[slash+1:]; key == "" {
		return nil, "", fmt.Errorf("%s: %w", shownArgument(what), errNoKey)
	}
	u.Path, u.RawPath = u.Path[:slash+1], ""
	if store, err = blob.Open(ctx, u.String(), c.open()); err != nil {
		return nil, "", err
	}
	return store, key, nil
}

// OpenFolder opens the store that a folder, a bucket or a folder in one is.
// The caller closes the store. Messages go on naming other objects, as with [At].
func OpenFolder(ctx context.Context, what string, c *Console) (*blob.Store, error) {
	if !strings.Contains(what, "://") {
		path, err := filepath.Abs(what)
		if err != nil {
			return nil, err
		}
		path = filepath.ToSlash(path)
		if !strings.HasPrefix(path, "/") {
			path = "/" + path // a drive letter
		}
		what = (&url.URL{Scheme: "file", Path: path + "/"}).String()
	}
	return blob.Open(ctx, what, c.open())
}

// Reads makes messages name the objects of store, to which the argument what led.
func (c *Console) Reads(what string, store *blob.Store) {
	c.place = Place{what: what, store: store.Name()}
}
