package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/thaw-go/thaw/stream"
)

// leastLine is the least that one record takes in the output: an id of one byte,
// the tab and the line end.
const leastLine = 3

// together refuses an output that cannot hold what the manifest says was
// delivered: it was removed or replaced, and the next run would go on without it.
func together(output, manifest string) error {
	data, err := os.ReadFile(manifest)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(data) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	m, err := stream.ParseManifest(data)
	if err != nil {
		return fmt.Errorf("%s: %w", manifest, err)
	}
	var size int64
	info, err := os.Stat(output)
	switch {
	case err == nil:
		size = info.Size()
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if records := m.Counts.Delivered(); size < records*leastLine {
		return fmt.Errorf("%s has %d bytes, too few for the %d records that were delivered as %s says: bring it back, or remove the manifest to read everything again",
			output, size, records, manifest)
	}
	return nil
}
