package cli

import (
	"errors"
	"flag"
	"time"

	"github.com/thaw-go/thaw/blob"
)

// Selection is what the flags say about which objects are read, and from whom.
type Selection struct {
	Exclude   []string      // globs of what is left out
	FirstByte time.Duration // of an answer; 0: the library's default
}

// Select adds the flags of verbs that list.
func (s *Selection) Select(fs *flag.FlagSet) {
	fs.Func("exclude", "`GLOB` of what is left out of a folder or a glob, relative to it, as in lost+found or **/*.tmp; may be repeated", func(glob string) error {
		if glob == "" {
			return errors.New("an empty glob excludes nothing")
		}
		s.Exclude = append(s.Exclude, glob)
		return nil
	})
	fs.DurationVar(&s.FirstByte, "first-byte", 0, "`TIME` that a store may take for the first byte of an answer before it is asked again; default 15s, more at each try")
}

// options are those of the listing; nil where nothing is chosen.
func (s *Selection) options() *blob.ListOptions {
	if len(s.Exclude) == 0 {
		return nil
	}
	return &blob.ListOptions{Exclude: s.Exclude}
}

// tune makes a store as patient as the flags say.
func (s *Selection) tune(store *blob.Store) {
	if s.FirstByte != 0 {
		store.SetRetry(&blob.Retry{FirstByte: s.FirstByte})
	}
}
