package stream

import (
	"context"
	"io"
	"time"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/limits"
	"github.com/thaw-go/thaw/stream/internal/ahead"
)

// decodedReader is the byteReader that decodes on the goroutine of its lane:
//
//	storedReader ─▶ codec.Input ─▶ codec.Decoder ─▶ slab
//
// Its decoder may be suspended: closed in the middle of the object so that its memory
// comes free, and opened again at the last restart point. Then
//
//	stored:  |<- earlier ->|  summed up over the decoders that were closed
//	decoded: |<----------- decoded ----------->|  as readers see it
//	              |<- again ->|                   decoded a second time, and dropped
//
// Where a file beside this one has a concern, its fields are used there alone: the
// end (proven, doubted), containers, memory, suspension.
type decodedReader struct {
	objectState
	keptDecoder // dec is nil while the object is suspended

	in        *codec.Input
	source    inputSource   // of in
	helpers   time.Duration // what helped returns of decoders that were closed
	from      int64         // stored offset at which the decoder began
	earlier   int64         // stored bytes that went to decoders before it
	again     int64         // bytes decoded a second time
	err       error         // sticky
	wanted    int64         // what dec asked for in vain; 0 for nothing
	inDecoder bool          // in a call of dec; true at close if that has panicked
	suspended *suspension   // nil while dec is open
	container containerCheck
}

// read implements byteReader.
func (o *decodedReader) read(ctx context.Context, p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.decode(ctx, p)
	if err == nil && len(p) > 0 {
		err = o.progressed(n)
	}
	if o.container.examining {
		o.examine(p[:n], err)
		if refused := o.containerError(); refused != nil {
			n, err = 0, refused
		}
	}
	o.decoded += int64(n)
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

// storedOffset is how many stored bytes the decoder has consumed.
func (o *decodedReader) storedOffset() int64 {
	switch {
	case o.suspended != nil:
		return o.suspended.stored
	}
	if p, ok := o.dec.(codec.Positioned); ok {
		return p.StoredOffset()
	}
	if o.in == nil {
		return o.from
	}
	return o.from + o.in.Offset()
}

// offsets implements objectReader.
func (o *decodedReader) offsets() (stored, decoded int64) { return o.storedOffset(), o.decoded }

// progress implements objectReader.
func (o *decodedReader) progress() (stored, decoded, again int64) {
	return o.earlier + o.storedOffset() - o.from, o.decoded - o.began + o.again, o.again
}

// mayWait implements byteReader. A local store is not waited for, and what the first
// bytes show is worth a wait.
func (o *decodedReader) mayWait() bool {
	return !o.container.examining && !o.object.store.Traits().Local && o.in.Buffered() == 0 && !o.stored.arrived()
}

// restartPoint implements objectReader.
func (o *decodedReader) restartPoint(decoded int64) (codec.Point, int64) {
	return o.pointFor(decoded), o.memory
}

func (o *decodedReader) pointFor(decoded int64) codec.Point {
	switch c, err := o.config.Codecs.Lookup(o.detection.Codec); {
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

// close implements objectReader: it keeps the decoder for the next object, unless it has
// panicked.
func (o *decodedReader) close() {
	defer o.stored.close()
	defer o.closeInput()
	o.closeDecoder()
}

func (o *decodedReader) closeDecoder() {
	dec, memory := o.dec, o.memory
	if a, ok := dec.(*ahead.Decoder); ok {
		dec = o.releaseAhead(a)
	}
	if o.key.class >= 0 {
		o.key.class = memoryClass(memory) // it may have grown
	}
	o.dec, o.memory = nil, 0
	kept := false
	defer func() {
		if !kept {
			o.lane.account.Release(memory)
		}
	}()
	if dec == nil {
		return
	}
	k := keptDecoder{key: o.key, dec: dec, hook: o.hook, memory: memory}
	*o.hook = memoryHook{}
	if o.inDecoder || o.key.class < 0 || dec.Reset(codec.NewInput(empty{}, 1)) != nil {
		dec.Close()
		return
	}
	kept = true
	o.lane.account.Keep(memory)
	o.lane.pool.decoders.put(k)
}

func (o *decodedReader) closeInput() {
	if o.in != nil {
		o.from = o.storedOffset()
		o.in.Reset(empty{})
		o.lane.in, o.in = o.in, nil
	}
}

// empty is what a kept decoder is reset to, so that it holds on to no object. It
// is wrapped in an Input, else the decoder would make one of full size.
type empty struct{}

func (empty) Read([]byte) (int, error) { return 0, io.EOF }
