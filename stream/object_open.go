package stream

import (
	"context"
	"errors"
	"io"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/limits"
	"github.com/thaw-go/thaw/internal/meter"
	"github.com/thaw-go/thaw/stream/internal/memory"
)

// opened is one object under decoding by a lane:
//
//	storedReader ─▶ codec.Input ─▶ codec.Decoder ─▶ slab
//
// It belongs to the lane's goroutine.
type opened struct {
	l         *lane
	r         *readConfig
	object    *object
	source    *storedReader
	in        *codec.Input
	detection codec.Detection
	dec       codec.Decoder
	index     *index // instead of dec, for formats that are read by their index
	key       decoderKey
	hook      *memoryHook // of dec, which asks for memory
	memory    int64       // of dec, held by the account
	local     bool        // the store's reads cost about a copy
	decoded   int64       // offset of the next byte that dec gives
	stored    int64       // where the reader began
	given     int64       // stored bytes that went to decoders given up
	again     int64       // bytes decoded once more after that
	began     int64       // decoded offset that belongs to it
	err       error       // sticky
	idle      int         // reads in a row that returned nothing
	wanted    int64       // what dec asked for in vain; 0 for nothing
	busy      bool        // dec is at work; at the end it has panicked
	suspended *suspension // dec was closed; the next read resumes
	examining bool        // the first decoded bytes are still to be looked at
	head      []byte      // of them, what was too little to tell
	refuses   bool        // what no framer cuts
	doubt     string      // why an object that ended cleanly may have been cut
}

// position is a place between two records of an object, from which a later read
// goes on.
type position struct {
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
func (l *lane) open(ctx context.Context, r *readConfig, store *blob.Store, source string, obj blob.Object, pos *position) (*opened, error) {
	l.label("")
	o := &opened{l: l, r: r, local: store.Traits().Local, object: &object{source: source, store: store, info: obj}}
	o.source = newStoredReader(l, o.object, r)
	returned := false
	defer func() {
		if !returned { // a codec has panicked
			o.close()
		}
	}()
	if pos != nil && pos.point.Stored > 0 {
		c, err := r.Codecs.Lookup(pos.codec)
		if err == nil && c.Restart != nil {
			o.stored = pos.point.Stored
		}
	}
	err := o.source.open(ctx, o.stored)
	if err != nil {
		returned = true
		return nil, o.failIn(ctx, err)
	}
	o.in = l.takeInput(o.source)
	if o.stored > 0 {
		err = o.restart(ctx, pos)
	} else {
		err = o.start(ctx)
	}
	returned = true
	if err != nil {
		err = o.failIn(ctx, err)
		o.close()
		return nil, err
	}
	l.label(o.detection.Codec)
	return o, nil
}

// newStoredReader makes the reader of the stored bytes of o, whose waits are in stage
// fetch of l.
func newStoredReader(l *lane, o *object, r *readConfig) *storedReader {
	return &storedReader{
		object: o,
		opts: blob.ReaderOptions{
			RangeSize: r.RangeSize, InFlight: r.InFlight, Budget: l.pool.budget, OnRequest: l.onRequest(),
		},
		driver: &laneFetch{lane: l, local: o.store.Traits().Local},
	}
}

// start detects the codec from the first bytes and opens the decoder.
func (o *opened) start(ctx context.Context) error {
	head, err := o.in.Peek(limits.Head)
	final := err == io.EOF
	if err != nil && !final {
		return err // a part of the head could pass for another format
	}
	if o.findIndex(ctx, head) {
		return o.l.account.Open(ctx, memory.Reservation{Later: spillMax(o.r.MaxRecord)})
	}
	info := o.object.info
	o.detection, err = o.r.Codecs.Detect(head, final, codec.Hints{
		Codec: o.r.Codec, Key: info.Key, ContentEncoding: info.ContentEncoding,
		Stored: &unread{in: o.in, ranges: rangeReader{ctx: ctx, stored: o.source}},
	})
	if err != nil {
		return err
	}
	if err := o.conflict(); err != nil {
		return err
	}
	c, err := o.r.Codecs.Lookup(o.detection.Codec)
	if err != nil {
		return err
	}
	if err := o.reserve(ctx, c, head); err != nil {
		return err
	}
	o.examining = !o.detection.Plain()
	if o.dec != nil {
		return o.dec.Reset(o.in)
	}
	o.dec, err = o.r.Codecs.Open(o.in, o.detection, o.options(ctx))
	return err
}

// reserve takes the memory that the object's header asks for, before anything is
// allocated. A decoder kept from an object like this one is taken over.
func (o *opened) reserve(ctx context.Context, c codec.Codec, head []byte) error {
	var needs codec.Needs
	if c.Requires != nil {
		n, err := c.Requires(head)
		switch {
		case errors.Is(err, codec.ErrLimit), errors.Is(err, codec.ErrUnsupported):
			return err
		case err == nil:
			needs = n
		}
	}
	if needs.Window > o.r.Decode.MaxWindow {
		return &codec.Error{Codec: c.Name, Err: &codec.LimitError{What: "window", Needed: needs.Window, Allowed: o.r.Decode.MaxWindow}}
	}
	o.key = decoderKey{codecs: o.r.Codecs, name: c.Name, opts: keyOf(&o.r.Decode)}
	if len(o.detection.Inner) > 0 {
		o.key.class = -1 // their headers are inside
	}
	return o.hold(ctx, max(0, needs.Memory-decoderFloor))
}

// hold takes the memory of a decoder, and one kept for reuse if there is any.
func (o *opened) hold(ctx context.Context, needs int64) error {
	o.l.o = o
	if o.key.class >= 0 {
		o.key.class = memoryClass(needs)
		if k, ok := o.l.pool.takeDecoder(o.key); ok {
			// It may have to grow, and does not shrink.
			holds := max(k.memory, needs)
			o.l.pool.budget.ReleaseKept(k.memory)
			if o.l.account.TryOpen(o.reservation(holds)) {
				o.dec, o.hook, o.memory = k.dec, k.hook, holds
				*o.hook = memoryHook{o: o, ctx: ctx}
				return nil
			}
			k.dec.Close()
		}
	}
	r := o.reservation(needs)
	if !o.l.account.TryOpen(r) {
		if err := o.l.queue(func() error { return o.l.account.Open(ctx, r) }); err != nil {
			return err
		}
	}
	o.memory = needs
	return nil
}

// reservation is what o asks for, for a decoder that holds so many bytes at first.
func (o *opened) reservation(decoder int64) memory.Reservation {
	headroom := o.headroom(decoder)
	return memory.Reservation{
		Bytes: decoder, Later: spillMax(o.r.MaxRecord), Headroom: headroom,
		Optimistic: headroom > 0 && o.key.class >= 0,
	}
}

// restart opens the decoder in the middle of the object.
func (o *opened) restart(ctx context.Context, pos *position) error {
	c, _ := o.r.Codecs.Lookup(pos.codec)
	o.detection = codec.Detection{Codec: pos.codec, Evidence: codec.ByChoice}
	o.key.class = -1 // its offsets are shifted: not for reuse
	memory := pos.memory
	if c.Requires != nil {
		// In the middle of a member there is no header to ask.
		head, _ := o.in.Peek(limits.Head)
		if n, err := c.Requires(head); err == nil && n.Window <= o.r.Decode.MaxWindow {
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

// read gives decoded bytes in stage decode.
func (o *opened) read(ctx context.Context, p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	if err := o.l.work(ctx, meter.Decode); err != nil {
		return 0, o.failIn(ctx, err)
	}
	n, err := o.decode(ctx, p)
	if err == nil && len(p) > 0 {
		err = o.progressed(n)
	}
	if o.examining {
		o.examine(p[:n], err)
		if refused := o.refuseContainer(); refused != nil {
			n, err = 0, refused
		}
	}
	o.decoded += int64(n)
	o.l.permit.Did(int64(n))
	if err == io.EOF {
		if err = o.proven(); err == io.EOF {
			err = o.doubted()
		}
	}
	if err != nil && err != io.EOF {
		err = o.failIn(ctx, err)
	}
	o.err = err
	return n, err
}

// mostIdle is how often a decoder, or the reader of an indexed format, may return
// nothing.
const mostIdle = 100

// progressed is an error once n was 0 too often: what returns nothing again and again
// would be asked without end.
func (o *opened) progressed(n int) error {
	if o.idle++; n > 0 {
		o.idle = 0
	}
	if o.idle >= mostIdle {
		return io.ErrNoProgress
	}
	return nil
}

// proven is io.EOF if every stored byte was read, whatever the decoder thinks.
func (o *opened) proven() error {
	var b [1]byte
	switch n, err := o.in.Read(b[:]); {
	case n > 0:
		return codec.ErrTrailing
	case err != io.EOF:
		return err
	}
	if err := o.source.complete(); err != nil {
		return err
	}
	return io.EOF
}

// storedOffset is how many stored bytes the decoder has consumed.
func (o *opened) storedOffset() int64 {
	switch {
	case o.index != nil:
		return o.index.ranges.read
	case o.suspended != nil:
		return o.suspended.stored
	}
	if p, ok := o.dec.(codec.Positioned); ok {
		return p.StoredOffset()
	}
	if o.in == nil {
		return o.stored
	}
	return o.stored + o.in.Offset()
}

// progress is what was decoded, twice where that was done again.
func (o *opened) progress() (stored, decoded int64) {
	return o.given + o.storedOffset() - o.stored, o.decoded - o.began + o.again
}

// restartPoint is where decoding can begin again for data from a decoded offset
// on, if the codec knows.
func (o *opened) restartPoint(decoded int64) codec.Point {
	switch c, err := o.r.Codecs.Lookup(o.detection.Codec); {
	case err != nil || c.Restart == nil || len(o.detection.Inner) > 0:
		return codec.Point{}
	case c.Plain:
		return codec.Point{Stored: decoded, Decoded: decoded}
	}
	if r, ok := o.dec.(codec.Restarter); ok {
		if p, ok := r.RestartPoint(); ok && p.Decoded <= decoded && len(p.State) <= limits.State {
			return p
		}
	}
	return codec.Point{}
}

// close ends the read and keeps the decoder for the next object, unless it has
// panicked.
func (o *opened) close() {
	defer o.source.close()
	defer o.closeInput()
	o.index.close()
	o.closeDecoder()
}

func (o *opened) closeDecoder() {
	dec, memory := o.dec, o.memory
	if o.key.class >= 0 {
		o.key.class = memoryClass(memory) // it may have grown
	}
	o.dec, o.memory, o.l.o = nil, 0, nil
	kept := false
	defer func() {
		if !kept {
			o.l.account.Release(memory)
		}
	}()
	if dec == nil {
		return
	}
	k := keptDecoder{key: o.key, dec: dec, hook: o.hook, memory: memory}
	*o.hook = memoryHook{}
	if o.busy || o.key.class < 0 || dec.Reset(codec.NewInput(empty{}, 1)) != nil {
		dec.Close()
		return
	}
	kept = true
	o.l.account.Keep(memory)
	o.l.pool.keepDecoder(k)
	if o.l.pool.budget.Wanted() {
		o.l.pool.evictDecoder()
	}
}

func (o *opened) closeInput() {
	if o.in != nil {
		o.stored = o.storedOffset()
		o.in.Reset(empty{})
		o.l.in, o.in = o.in, nil
	}
}

// empty is what a kept decoder is reset to, so that it holds on to no object. It
// is wrapped in an Input, else the decoder would make one of full size.
type empty struct{}

func (empty) Read([]byte) (int, error) { return 0, io.EOF }
