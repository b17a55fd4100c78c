package stream

import (
	"context"
	"io"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/limits"
	"github.com/thaw-go/thaw/stream/internal/memory"
)

// start detects the codec from the first bytes and opens the decoder, or hands the
// object over to a format that is read by its index.
func (o *decodedReader) start(ctx context.Context) (objectReader, error) {
	head, err := o.in.Peek(limits.Head)
	final := err == io.EOF
	if err != nil && !final {
		return nil, err // a part of the head could pass for another format
	}
	if x := o.findIndex(ctx, head); x != nil {
		return x, o.lane.account.Open(ctx, memory.Reservation{Later: spillMax(o.config.MaxRecord)})
	}
	info := o.object.info
	o.detection, err = o.config.Codecs.Detect(head, final, codec.Hints{
		Codec: o.config.Codec, Key: info.Key, ContentEncoding: info.ContentEncoding,
		Stored: &unread{in: o.in, ranges: rangeReader{ctx: ctx, stored: o.stored}},
	})
	if err != nil {
		return nil, err
	}
	if err := o.conflict(); err != nil {
		return nil, err
	}
	c, err := o.config.Codecs.Lookup(o.detection.Codec)
	if err != nil {
		return nil, err
	}
	if err := o.reserveFor(ctx, c, head); err != nil {
		return nil, err
	}
	o.container.examining = !o.detection.Plain()
	if o.dec != nil {
		err = o.dec.Reset(o.in)
	} else {
		o.dec, err = o.config.Codecs.Open(o.in, o.detection, o.options(ctx))
	}
	if err == nil {
		o.decodeAhead(ctx, c)
	}
	return o, err
}

// unread reads stored bytes that no decoder has had yet, for detection: from the
// buffer in front of the decoder as far as that reaches, beyond it by a request.
type unread struct {
	in     *codec.Input
	ranges rangeReader
}

// ReadAt implements [io.ReaderAt].
func (u *unread) ReadAt(p []byte, off int64) (int, error) {
	if end := off + int64(len(p)); end <= int64(u.in.Size()) {
		b, err := u.in.Peek(int(end))
		n := copy(p, b[min(int(off), len(b)):])
		if n == len(p) {
			err = nil
		}
		return n, err
	}
	size := u.ranges.stored.object.info.Size
	if off >= size {
		return 0, io.EOF
	}
	n, err := u.ranges.ReadAt(p[:min(int64(len(p)), size-off)], off)
	u.ranges.close()
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}
