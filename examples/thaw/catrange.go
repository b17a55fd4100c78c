package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/codec/seek"
	"github.com/thaw-go/thaw/examples/internal/cli"
	"github.com/thaw-go/thaw/stream"
)

// span is a range of decoded bytes.
type span struct {
	offset, length int64 // length -1 is up to the end
	asked          bool
	index          string // where the index lies; empty: beside the object
	decode         codec.Options
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
		read := c.decodeAndSkip
		if x != nil {
			read = func(ctx context.Context, store *blob.Store, obj blob.Object) error {
				return c.through(ctx, store, obj, x)
			}
		}
		return cli.Of(obj.Key, read(ctx, store, obj))
	})
}

// worthAnIndex is the offset from which on the want of an index is worth a word: the
// spacing of one, before which none has a place.
const worthAnIndex = 4 << 20

// findIndex gives the index to use; nil if there is none that can be used. One that
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

// through reads the range from the place that the index tells.
func (c *catting) through(ctx context.Context, store *blob.Store, obj blob.Object, x *seek.Index) error {
	if c.span.offset > x.Decoded {
		return behindEnd(x.Decoded)
	}
	p, err := x.Before(c.span.offset)
	if err != nil {
		return err
	}
	pinned := obj
	pinned.Size = -1 // else a second range is requested at once
	rd, err := store.NewReader(ctx, obj.Key, &blob.ReaderOptions{Object: &pinned, Offset: p.Stored})
	if err != nil {
		return err
	}
	defer rd.Close()
	found, err := codec.Default().Detect(nil, false, codec.Hints{Codec: x.Codec, Key: obj.Key, ContentEncoding: rd.Object().ContentEncoding})
	if err != nil {
		return err
	}
	if err := c.flags.Refuse(obj, found); err != nil {
		return err
	}
	c.console.Conflicts(rd.Object(), found)
	from, err := codec.Default().Lookup(x.Codec)
	if err != nil || from.Restart == nil {
		return fmt.Errorf("index: %w: codec %s", codec.ErrUnsupported, x.Codec)
	}
	opts := &c.span.decode
	var d codec.Decoder
	if p.Decoded == 0 {
		d, err = from.NewReader(rd, opts)
	} else {
		d, err = from.Restart(rd, p, opts)
	}
	if err != nil {
		return err
	}
	defer d.Close()
	end, err := c.copyRange(d, p.Decoded)
	if err == nil && end >= 0 && end != x.Decoded {
		return fmt.Errorf("%w: ends at decoded offset %d, the index says %d", codec.ErrCorrupt, end, x.Decoded)
	}
	return err
}

// decodeAndSkip reads the range from the start of the object on.
func (c *catting) decodeAndSkip(ctx context.Context, store *blob.Store, obj blob.Object) error {
	rd, err := stream.Open(ctx, store, obj.Key, &stream.OpenOptions{Read: c.opts, Version: obj.Version})
	if err != nil {
		return err
	}
	defer rd.Close()
	c.console.Conflicts(rd.Object(), rd.Detection())
	defer func() { c.console.Notes(rd.Object(), rd.Detection()) }()
	_, err = c.copyRange(rd, 0)
	return err
}

// copyRange writes the range of what r gives, which begins at a decoded offset. It
// reads one byte more: a checksum that ends with the range is verified then. end is
// where the object ends if that was seen, else -1.
func (c *catting) copyRange(r io.Reader, at int64) (end int64, err error) {
	n, err := io.CopyN(io.Discard, r, c.span.offset-at)
	if err == io.EOF {
		return -1, behindEnd(at + n)
	}
	if err != nil {
		return -1, err
	}
	if c.span.length < 0 {
		n, err = io.CopyBuffer(c.meter, struct{ io.Reader }{r}, make([]byte, 128<<10))
		return c.span.offset + n, err
	}
	n, err = io.CopyN(c.meter, r, c.span.length)
	switch at = c.span.offset + n; {
	case err == io.EOF:
		return at, fmt.Errorf("ends at decoded offset %d: %d bytes of the range are not there", at, c.span.length-n)
	case err != nil:
		return -1, err
	}
	switch _, err = io.CopyN(io.Discard, r, 1); {
	case err == io.EOF:
		return at, nil
	case err != nil:
		return -1, err
	}
	return -1, nil
}

func behindEnd(decoded int64) error {
	return fmt.Errorf("has %d decoded bytes: the range begins behind them", decoded)
}
