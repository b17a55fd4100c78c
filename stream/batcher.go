package stream

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/internal/meter"
	"github.com/thaw-go/thaw/internal/slab"
)

// batcher cuts one object into batches. It decodes into a slab, lets the framer
// find record ends, hands out the records, and moves what the last one left
// unfinished in front of the next decoded bytes:
//
//	slab: |   head-room   |           decoded bytes            |
//	              |<- unfinished ->|<- new ->|
//	            start                       end
//
//	ends are relative to start; pos is the first of them not handed out;
//	offset is the decoded offset of end.
//
// A record that outgrows the head-room gets a spill: a slab of the size that it needs,
// charged to the budget, which doubles with the record up to MaxRecord. It is
// kept for the records that follow while nobody waits for memory.
//
// What a batcher does next is its phase (batcher_phase.go). The scan of what is
// between start and end (batcher_scan.go) decides what follows the records: a record
// that is refused or too large (batcher_skip.go), the object's end, its fault, or more
// bytes.
//
// Invariants between two calls of next:
//   - ends ascend and lie within start..end, and a record begins at the end before it;
//   - a slab that a sink retains is not written to, nor are its ends: what is unfinished
//     moves to another slab first;
//   - nothing is read once eof or fault is set;
//   - the account holds spill bytes for slab, and none for a slab of the pool's list;
//   - resync is set from phaseSeek on until the next record's start is found, afterGap
//     from there on until its end is.
type batcher struct {
	lane    *lane
	config  *readConfig
	reader  objectReader
	bytes   byteReader   // the reader, if a framer cuts the object; else nil
	records recordReader // the reader, if the format cuts its own records; else nil

	course
	framing
	slabWindow
	recordEnds
	gap
	delivery
	savepoints

	selected *selection // what to hand out; nil: all
}

// course is what the batcher does next, and what it has found out of the object's end.
type course struct {
	phase phase // what next does
	then  phase // after phaseCut
	eof   bool  // end is the object's, and proven
	fault error // of the object, after the ends
	bad   error // of the record after the ends, in phaseBad
}

// framing is how the object's bytes are cut.
type framing struct {
	framer  frame.Framer
	choice  frame.Choice // how framer was chosen
	scanner frame.Scanner
	state   []byte // of the framer, before the last scan
}

// slabWindow is the part of the object that the batcher holds.
type slabWindow struct {
	slab       *slab.Slab
	spill      int64 // what the account holds for slab; 0 if it is of the pool's list
	start, end int
	offset     int64 // decoded, of end
}

// newBatcher opens obj and stands before the record at pos, or before the first
// if pos is nil.
func (l *lane) newBatcher(ctx context.Context, r *readConfig, store *blob.Store, source string, obj blob.Object, pos *savepoint) (*batcher, error) {
	o, err := l.open(ctx, r, store, source, obj, pos)
	if err != nil {
		return nil, err
	}
	b := &batcher{lane: l, config: r, reader: o, recordEnds: recordEnds{ends: l.ends}}
	b.slab, b.start, b.end = l.pool.slabs.Get(), slabHead, slabHead
	l.ends = nil
	begun := false
	defer func() {
		if !begun { // or a framer has panicked
			b.close()
		}
	}()
	if err := b.begin(ctx, pos); err != nil {
		if _, known := errors.AsType[*Error](err); !known {
			err = inStage(meter.Frame, o.failIn(ctx, err))
		}
		return nil, o.failIn(ctx, err)
	}
	begun = true
	return b, nil
}

func (b *batcher) begin(ctx context.Context, pos *savepoint) (err error) {
	if x, ok := b.reader.(*indexedReader); ok {
		return b.beginIndexed(x, pos)
	}
	b.bytes = b.reader.(byteReader)
	_, b.offset = b.reader.offsets()
	extension := b.reader.facts().detection.Extension
	b.choice, err = b.config.chooseFramer(extension)
	if err != nil {
		return err
	}
	b.framer = b.choice.Framer
	if b.config.refusesContainers(b.framer, extension) {
		b.bytes.refuseContainers()
	}
	if err := b.bytes.containerError(); err != nil {
		return err
	}
	opts := b.scanOptions(0, nil)
	if pos != nil {
		if pos.framer != b.framer.Name {
			if b.framer, err = b.config.Framers.Lookup(pos.framer); err != nil {
				return err
			}
		}
		b.nextRecord, opts.Offset, opts.State = pos.record, pos.decoded, pos.state
		b.restart = restart{pos.point, pos.memory}
	}
	if b.scanner, err = b.framer.New(opts); err != nil {
		return err
	}
	buf := b.slab.Bytes()
	for b.offset < opts.Offset {
		n, err := b.lane.decode(ctx, b.bytes, buf[:min(int64(len(buf)), opts.Offset-b.offset)])
		b.offset += int64(n)
		if err == io.EOF && b.offset < opts.Offset {
			return b.reader.fail(fmt.Errorf("%w: %d bytes decoded, the manifest goes on at %d", codec.ErrCorrupt, b.offset, opts.Offset))
		}
		if err != nil && err != io.EOF {
			return err
		}
	}
	return nil
}

// chooseFramer returns the framer for what is left of an object's extension.
func (r *readConfig) chooseFramer(extension string) (frame.Choice, error) {
	if r.framer != nil {
		return frame.Choice{Framer: *r.framer, Evidence: frame.ByChoice}, nil
	}
	return r.Framers.Choose("", extension)
}

// fill decodes more bytes after the unfinished record. A fault is kept until
// the records before it are handed out.
func (b *batcher) fill(ctx context.Context) error {
	b.start += b.lastEnd()
	b.clearEnds()
	if full, err := b.fillWhole(ctx); full || err != nil {
		return err
	}
	if err := b.makeRoom(ctx); err != nil {
		return err
	}
	buf := b.slab.Bytes()
	buf = buf[:min(len(buf), b.end+slabData)]
	for b.end < len(buf) {
		n, err := b.lane.decode(ctx, b.bytes, buf[b.end:])
		b.end += n
		b.offset += int64(n)
		switch {
		case err == io.EOF:
			b.eof = true
			return nil
		case err != nil && ctx.Err() != nil:
			return b.reader.failIn(ctx, nil)
		case err != nil && b.bytes.containerError() != nil:
			return err // of its bytes none is a record
		case err != nil:
			b.fault = err
			return nil
		case n > 0 && b.nextRecord == 0 && b.bytes.mayWait():
			return nil // the first records are not held back for bytes still under way
		}
	}
	return nil
}

// fillWhole takes over a slab that another goroutine has filled, if the reader has one, and
// moves the unfinished record in front of its data.
func (b *batcher) fillWhole(ctx context.Context) (full bool, err error) {
	unfinished := b.end - b.start
	if unfinished > slabHead || b.spill > 0 {
		return false, nil
	}
	to, n, err := b.lane.decodeSlab(ctx, b.bytes)
	if err != nil {
		b.fault = err
		if ctx.Err() != nil {
			return true, b.reader.failIn(ctx, nil)
		}
	}
	if to == nil {
		return err != nil, nil
	}
	copy(to.Bytes()[slabHead-unfinished:], b.slab.Bytes()[b.start:b.end])
	b.start, b.end = slabHead-unfinished, slabHead+n
	b.offset += int64(n)
	b.replace(to, 0)
	return true, nil
}

// close releases slab, ends and objectReader.
func (b *batcher) close() {
	defer b.reader.close()
	b.replace(nil, 0)
	if !b.endsRetained && (b.batch == nil || !b.batch.retained) && cap(b.ends) <= mostKeptEnds {
		b.lane.ends = b.ends[:0]
	}
}
