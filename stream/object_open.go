package stream

import (
	"context"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/limits"
)

// savepoint is between two records of an object: a later read
// goes on from there.
type savepoint struct {
	record  int64 // index of the next record
	decoded int64 // its decoded offset
	codec   string
	point   codec.Point // where decoding can begin again, at or before decoded
	memory  int64       // what a decoder holds there
	framer  string
	state   []byte // of the framer
}

// open opens obj and finds its codec. pos, if not nil, says where a restart may
// begin: decoding starts at its point, and the caller skips up to pos.decoded.
func (l *lane) open(ctx context.Context, r *readConfig, store *blob.Store, source string, obj blob.Object, pos *savepoint) (objectReader, error) {
	l.label("")
	o := &decodedReader{objectState: objectState{lane: l, config: r}}
	o.object, o.stored = l.newStored(r, store, source, obj)
	var rd objectReader = o
	returned := false
	defer func() {
		if !returned { // a codec has panicked
			o.close()
		}
	}()
	if pos != nil && pos.point.Stored > 0 {
		c, err := r.Codecs.Lookup(pos.codec)
		if err == nil && c.Restart != nil {
			o.from = pos.point.Stored
		}
	}
	err := o.stored.open(ctx, o.from)
	if err != nil {
		returned = true
		return nil, o.failIn(ctx, err)
	}
	o.source.Reader = o.stored
	o.in = l.input(&o.source)
	if o.from > 0 {
		err = o.restart(ctx, pos)
	} else {
		rd, err = o.start(ctx)
	}
	returned = true
	if err != nil {
		err = o.failIn(ctx, err)
		o.close()
		return nil, err
	}
	l.label(rd.facts().detection.Codec)
	return rd, nil
}

// newStored returns an object and the reader of its stored bytes, whose waits are in
// stage fetch of the lane. They are one allocation.
func (l *lane) newStored(r *readConfig, store *blob.Store, source string, obj blob.Object) (*object, *storedReader) {
	x := &struct {
		object object
		stored storedReader
		fetch  laneFetch
	}{
		object: object{source: source, store: store, info: obj},
		fetch:  laneFetch{lane: l, local: store.Traits().Local},
	}
	x.stored = storedReader{
		object: &x.object,
		opts:   blob.ReaderOptions{RangeSize: r.RangeSize, InFlight: r.InFlight, Budget: l.pool.budget, OnRequest: l.onRequest},
		driver: &x.fetch,
	}
	return &x.object, &x.stored
}

// restart opens the decoder in the middle of the object.
func (o *decodedReader) restart(ctx context.Context, pos *savepoint) error {
	c, _ := o.config.Codecs.Lookup(pos.codec)
	o.detection = codec.Detection{Codec: pos.codec, Evidence: codec.ByChoice}
	o.key.class = -1 // its offsets are shifted: not for reuse
	memory := pos.memory
	if c.Requires != nil {
		// In the middle of a member there is no header to ask.
		head, _ := o.in.Peek(limits.Head)
		if n, err := c.Requires(head); err == nil && n.Window <= o.config.Decode.MaxWindow {
			memory = max(memory, n.Memory-decoderFloor)
		}
	}
	if err := o.hold(ctx, memory); err != nil {
		return err
	}
	dec, err := c.Restart(o.in, pos.point, o.options(ctx))
	if err != nil {
		return err
	}
	o.dec, o.decoded, o.began = dec, pos.point.Decoded, pos.point.Decoded
	return nil
}
