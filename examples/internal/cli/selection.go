package cli

import (
	"errors"
	"flag"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
)

// Selection is what the flags say about which objects are read, and from whom.
type Selection struct {
	Exclude   []string      // globs of what is left out
	FirstByte time.Duration // of an answer; 0: the library's default

	// Wrap takes the place of a store's driver; nil: nothing does.
	Wrap func(driver.Driver) driver.Driver
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

// open are the options of a store that is opened for the console's program.
func (c *Console) open() *blob.OpenOptions {
	o := &blob.OpenOptions{Wrap: c.selection.Wrap}
	if !c.quiet {
		o.OnRetry = c.retrying
	}
	if c.selection.FirstByte != 0 {
		o.Retry = &blob.Retry{FirstByte: c.selection.FirstByte}
	}
	return o
}

// source are the options of what an argument names.
func (c *Console) source() *blob.SourceOptions {
	return &blob.SourceOptions{Open: *c.open(), List: blob.ListOptions{Exclude: c.selection.Exclude}}
}
