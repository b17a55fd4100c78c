package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec/seek"
	"github.com/thaw-go/thaw/examples/internal/cli"
	"github.com/thaw-go/thaw/stream"
)

// span is a range of decoded bytes.
type span struct {
	offset, length int64 // length -1 is up to the end
	asked          bool
	index          string // where the index lies; empty: beside the object
}

// flags adds the flags of a range.
func (s *span) flags(add func(name, usage string, set func(string) error)) {
	s.length = -1
	number := func(to *int64) func(string) error {
		return func(text string) error {
			s.asked = true
			if text == "0" {
				*to = 0
				return nil
			}
			return (*cli.Size)(to).Set(text)
		}
	}
	add("offset", "decoded bytes before this `OFFSET` are left out; an index saves decoding them", number(&s.offset))
	add("length", "`SIZE` of the range, decoded; default up to the end", number(&s.length))
	add("index", "`WHAT` holds the index; without it, one that lies beside the object is used if it fits", func(text string) error {
		s.asked = true
		s.index = text
		return nil
	})
}

// ranged writes the range of one object.
func (c *catting) ranged(ctx context.Context, what string) error {
	return single(ctx, what, c.console, func(store *blob.Store, obj blob.Object) error {
		x, err := c.findIndex(ctx, store, &obj)
		if err != nil {
			return err
		}
		c.meter.key = obj.Key
		return cli.Of(obj.Key, c.readRange(ctx, store, obj, x))
	})
}

// worthAnIndex is the offset from which on the want of an index is worth a word: the
// spacing of one, before which none has a place.
const worthAnIndex = 4 << 20

// findIndex returns the index to use; nil if there is none that can be used. One that
// was asked for must do.
func (c *catting) findIndex(ctx context.Context, store *blob.Store, obj *blob.Object) (*seek.Index, error) {
	if obj.Size < 0 || obj.Version == "" {
		var err error
		if *obj, err = store.Stat(ctx, obj.Key); err != nil {
			return nil, err
		}
	}
	if c.span.index != "" {
		x, err := c.namedIndex(ctx, obj)
		if err != nil {
			return nil, cli.In("index "+cli.Key(c.span.index), err)
		}
		return x, nil
	}
	key := obj.Key + seek.Extension
	x, err := c.readIndex(ctx, store, key, obj)
	switch {
	case err == nil:
		return x, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case c.span.offset == 0:
	case errors.Is(err, fs.ErrNotExist):
		if c.span.offset < worthAnIndex {
			break
		}
		c.console.Note("%s: no index: what lies before offset %d is decoded too (thaw index makes one)", c.console.Object(obj.Key), c.span.offset)
	default:
		c.console.Note("%s: not used: %v: what lies before offset %d is decoded too", c.console.Object(key), err, c.span.offset)
	}
	return nil, nil
}

// namedIndex reads the index that -index names.
func (c *catting) namedIndex(ctx context.Context, obj *blob.Object) (*seek.Index, error) {
	src, err := c.console.Elsewhere(ctx, c.span.index)
	if err != nil {
		return nil, err
	}
	defer src.Store.Close()
	for found, err := range src.Objects(ctx, blob.Mark{}) {
		if err != nil {
			return nil, err
		}
		return c.readIndex(ctx, src.Store, found.Key, obj)
	}
	return nil, cli.Nothing(src.Name)
}

func (c *catting) readIndex(ctx context.Context, store *blob.Store, key string, obj *blob.Object) (*seek.Index, error) {
	rd, err := store.NewReader(ctx, key, nil)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	x, err := seek.ReadIndex(rd)
	if err != nil {
		return nil, err
	}
	if err := x.Check(obj.Version, obj.Size); err != nil {
		return nil, err
	}
	if c.opts.Codec != "" && c.opts.Codec != x.Codec {
		return nil, fmt.Errorf("it is for codec %s, not %s", x.Codec, c.opts.Codec)
	}
	return x, nil
}

// readRange reads the range through an index, nil for none.
func (c *catting) readRange(ctx context.Context, store *blob.Store, obj blob.Object, x *seek.Index) error {
	rd, err := stream.Open(ctx, store, obj.Key, &stream.OpenOptions{Read: c.opts, Object: &obj, Offset: c.span.offset, Index: x})
	if err != nil {
		return err
	}
	defer rd.Close()
	c.console.Conflicts(rd.Object(), rd.Detection())
	defer func() { c.console.Notes(rd.Object(), rd.Detection()) }()
	return c.copyRange(rd)
}

// copyRange writes the range, which r begins with. It reads one byte more: a checksum
// that ends with the range is verified then.
func (c *catting) copyRange(r io.Reader) error {
	if c.span.length < 0 {
		_, err := io.CopyBuffer(c.meter, struct{ io.Reader }{r}, make([]byte, 128<<10))
		return err
	}
	switch n, err := io.CopyN(c.meter, r, c.span.length); {
	case err == io.EOF:
		return fmt.Errorf("ends at decoded offset %d: %d bytes of the range are not there", c.span.offset+n, c.span.length-n)
	case err != nil:
		return err
	}
	if _, err := io.CopyN(io.Discard, r, 1); err != io.EOF {
		return err
	}
	return nil
}
