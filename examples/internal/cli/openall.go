package cli

import (
	"context"
	"fmt"
	"iter"
	"net/url"
	"strings"

	"github.com/thaw-go/thaw/blob"
)

// errStores says that a job reads one store.
var errStores = usage("one job reads one store: name what is in one bucket, or in folders of this machine")

// OpenAll opens what several arguments name as one Source, in their order. They are
// all files, or all in one bucket.
func OpenAll(ctx context.Context, whats []string, c *Console) (blob.Source, error) {
	if len(whats) == 1 {
		return Open(ctx, whats[0], c)
	}
	root := ""
	type part struct {
		blob.Source
		folder string // in the root
	}
	var parts []part
	for _, what := range whats {
		src, err := Open(ctx, what, c)
		if err != nil {
			return blob.Source{}, err
		}
		c.atEnd = append(c.atEnd, func() { src.Store.Close() })
		at, folder, err := rootOf(what, src.Store.Name())
		if err == nil && root != "" && at != root {
			err = errStores
		}
		if err != nil {
			return blob.Source{}, fmt.Errorf("%s: %w", shownArgument(what), err)
		}
		root = at
		parts = append(parts, part{src, folder})
	}
	store, err := blob.Open(ctx, root, c.open())
	if err != nil {
		return blob.Source{}, err
	}
	c.place = Place{what: whats[0], store: store.Name()}
	return blob.Source{
		Store: store,
		Name:  fmt.Sprintf("%s and %s more", parts[0].Name, Count(len(parts)-1, "argument")),
		Objects: func(ctx context.Context, _ blob.Mark) iter.Seq2[blob.Object, error] {
			return func(yield func(blob.Object, error) bool) {
				for _, p := range parts {
					for obj, err := range p.Objects(ctx, blob.Mark{}) {
						obj.Key = p.folder + obj.Key
						if !yield(obj, err) {
							return
						}
					}
				}
			}
		},
	}, nil
}

// rootOf returns the URL of the whole store that an argument led to, and the folder
// of the narrower store, of that name, in it.
func rootOf(what, name string) (root, folder string, err error) {
	narrow, err := url.Parse(name)
	if err != nil {
		return "", "", err
	}
	folder = strings.TrimPrefix(narrow.Path, "/") + narrow.Query().Get("prefix")
	if narrow.Scheme == "file" {
		return "file:///", folder, nil
	}
	u, err := url.Parse(what) // as given: the name lacks what is secret
	if err != nil {
		return "", "", err
	}
	u.Path, u.RawPath = "", ""
	query := u.Query()
	query.Del("prefix")
	u.RawQuery = query.Encode()
	return u.String(), folder, nil
}
