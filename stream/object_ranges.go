package stream

import (
	"context"
	"fmt"
	"io"

	"github.com/thaw-go/thaw/blob"
)

// rangeReader reads any range of the version that a storedReader has pinned, by
// its own requests. Each read is a wait.
type rangeReader struct {
	ctx    context.Context
	stored *storedReader
	at     *blob.ReaderAt // nil before the first range
	read   int64          // bytes that were read
}

// ReadAt implements [io.ReaderAt].
func (g *rangeReader) ReadAt(p []byte, off int64) (int, error) {
	if size := g.stored.object.info.Size; off < 0 || off > size {
		return 0, fmt.Errorf("stream: offset %d of an object of %d bytes: %w", off, size, io.EOF)
	}
	if len(p) == 0 {
		return 0, nil
	}
	g.stored.driver.beginWait()
	n, err := g.request(p, off)
	if werr := g.stored.driver.endWait(g.ctx); werr != nil && err == nil {
		err = werr
	}
	return n, err
}

func (g *rangeReader) request(p []byte, off int64) (int, error) {
	if g.at == nil {
		o := g.stored.object
		opts := g.stored.opts
		opts.Object, opts.Offset, opts.Budget = &o.info, 0, nil
		at, err := o.store.NewReaderAt(g.ctx, o.info.Key, &opts)
		if err != nil {
			return 0, err
		}
		g.at = at
	}
	n, err := g.at.ReadAt(p, off)
	g.read += int64(n)
	return n, err
}

// close ends the requests. ReadAt begins again.
func (g *rangeReader) close() {
	if g.at != nil {
		g.at.Close()
		g.at = nil
	}
}
