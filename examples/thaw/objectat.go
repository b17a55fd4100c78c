package main

import (
	"context"
	"io"

	"github.com/thaw-go/thaw/blob"
)

// objectAt reads anywhere in one version of an object. It keeps a reader open and
// goes on with it over short gaps, since a request costs as much as they do.
type objectAt struct {
	ctx   context.Context
	store *blob.Store
	obj   blob.Object
	rd    *blob.Reader
}

const (
	objectGap   = 256 << 10 // is read over
	objectRange = 256 << 10 // of one request
)

func (o *objectAt) ReadAt(p []byte, off int64) (int, error) {
	if o.rd == nil || off < o.rd.Offset() || off-o.rd.Offset() > objectGap {
		if err := o.open(off); err != nil {
			return 0, err
		}
	}
	if _, err := io.CopyN(io.Discard, o.rd, off-o.rd.Offset()); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(o.rd, p)
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return n, err
}

func (o *objectAt) open(off int64) (err error) {
	o.close()
	pinned := o.obj
	pinned.Size = -1 // else a second range is requested at once
	o.rd, err = o.store.NewReader(o.ctx, o.obj.Key, &blob.ReaderOptions{
		Object: &pinned, Offset: off, RangeSize: objectRange, ReadAhead: objectRange,
	})
	return err
}

func (o *objectAt) close() {
	if o.rd != nil {
		o.rd.Close()
		o.rd = nil
	}
}
