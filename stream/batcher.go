package stream

import (
	"context"
	"fmt"
	"io"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/frame"
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
// A record that outgrows the head-room gets a spill: a slab of its own size,
// charged to the budget, which doubles with the record up to MaxRecord. It is
// kept for the records that follow while nobody waits for memory.
type batcher struct {
	l       *lane
	r       *readConfig
	obj     objectReader
	bytes   byteReader   // obj, if a framer cuts it; else nil
	records recordReader // obj, if its format cuts it; else nil
	framer  frame.Framer
	choice  frame.Choice // how framer was chosen
	scanner frame.Scanner

	slab       *slab.Slab
	spill      int64 // what the account holds for slab; 0 if it is of the pool's list
	start, end int
	offset     int64 // decoded, of end

	phase         phase // what next does
	then          phase // after phaseCut
	ends          []uint32
	endsRetained  bool // a sink retains a batch of ends: they are not written again
	pos           int
	state         []byte           // of the framer, before the last scan
	eof           bool             // end is the object's, and proven
	fault         error            // of the object, after the ends
	bad           error            // of the record after the ends, in phaseBad
	resync        frame.Resyncer   // looks for the record after one left out
	beforeLeftOut countedSavepoint // before that one
	afterGap      bool             // it was found, or the object's end, and no record since
	started       bool             // a batch was handed out

	batch      *Batch
	before     countedSavepoint // the batch
	nextRecord int64            // its index
	point      codec.Point

	pointMemory int64 // what a decoder from point on holds

	delivered, skipped, truncated int64
	redecoded                     int64
	counted                       Counts // what of these the job knows

	refused *countedSavepoint // before a batch that was not delivered
}

// countedSavepoint is a savepoint with the counts of the records before it.
type countedSavepoint struct {
	savepoint
	known bool // whether the framer can go on there

	delivered, skipped, truncated int64
}

// newBatcher opens obj and stands before the record at pos, or before the first
// if pos is nil.
func (l *lane) newBatcher(ctx context.Context, r *readConfig, store *blob.Store, source string, obj blob.Object, pos *savepoint) (*batcher, error) {
	o, err := l.open(ctx, r, store, source, obj, pos)
	if err != nil {
		return nil, err
	}
	b := &batcher{l: l, r: r, obj: o, start: slabHead, end: slabHead, slab: l.pool.slabs.Get(), ends: l.ends}
	l.ends = nil
	begun := false
	defer func() {
		if !begun { // or a framer has panicked
			b.close()
		}
	}()
	if err := b.begin(ctx, pos); err != nil {
		return nil, o.failIn(ctx, err)
	}
	begun = true
	return b, nil
}

func (b *batcher) begin(ctx context.Context, pos *savepoint) (err error) {
	if x, ok := b.obj.(*indexedReader); ok {
		return b.beginIndexed(x, pos)
	}
	b.bytes = b.obj.(byteReader)
	_, b.offset = b.obj.offsets()
	extension := b.obj.facts().detection.Extension
	b.choice, err = b.r.chooseFramer(extension)
	if err != nil {
		return err
	}
	b.framer = b.choice.Framer
	if b.r.refusesContainers(b.framer, extension) {
		b.bytes.refuseContainers()
	}
	if err := b.bytes.containerError(); err != nil {
		return err
	}
	opts := b.scanOptions(0, nil)
	if pos != nil {
		if pos.framer != b.framer.Name {
			if b.framer, err = b.r.Framers.Lookup(pos.framer); err != nil {
				return err
			}
		}
		b.nextRecord, opts.Offset, opts.State = pos.record, pos.decoded, pos.state
		b.point, b.pointMemory = pos.point, pos.memory
	}
	if b.scanner, err = b.framer.New(opts); err != nil {
		return err
	}
	b.redecoded = opts.Offset - b.offset
	buf := b.slab.Bytes()
	for b.offset < opts.Offset {
		n, err := b.l.decode(ctx, b.bytes, buf[:min(int64(len(buf)), opts.Offset-b.offset)])
		b.offset += int64(n)
		if err == io.EOF && b.offset < opts.Offset {
			return fmt.Errorf("%w: %d bytes decoded, the manifest goes on at %d", codec.ErrCorrupt, b.offset, opts.Offset)
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
	b.ends, b.pos = b.ends[:0], 0
	if err := b.makeRoom(ctx); err != nil {
		return err
	}
	buf := b.slab.Bytes()
	buf = buf[:min(len(buf), b.end+slabData)]
	for b.end < len(buf) {
		n, err := b.l.decode(ctx, b.bytes, buf[b.end:])
		b.end += n
		b.offset += int64(n)
		switch {
		case err == io.EOF:
			b.eof = true
			return nil
		case err != nil && ctx.Err() != nil:
			return b.obj.failIn(ctx, nil)
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

// close gives back slab, ends, decoder and reader.
func (b *batcher) close() {
	defer b.obj.close()
	b.replace(nil, 0)
	if !b.endsRetained && (b.batch == nil || !b.batch.retained) && cap(b.ends) <= mostKeptEnds {
		b.l.ends = b.ends[:0]
	}
}

// takeBack says that of the last batch only n records were delivered, without those
// left out, whatever the Writer did with the others. The position is before the
// batch, if the framer's state there is known.
func (b *batcher) takeBack(n, left int) {
	p := &b.before
	b.delivered, b.skipped, b.truncated = p.delivered+int64(n-left), p.skipped+int64(left), p.truncated
	b.refused = p
}

// leaveOut says that n records of the last batch were left out.
func (b *batcher) leaveOut(n int) {
	b.delivered -= int64(n)
	b.skipped += int64(n)
}

// position is the place after what was handed out, if a later run can go on
// there, and what was counted since: that is counted again from there on.
func (b *batcher) position() (pos savepoint, since Counts, ok bool) {
	var p countedSavepoint
	switch {
	case b.refused != nil:
		p = *b.refused
	case b.resync != nil:
		p = b.beforeLeftOut
	default:
		p = b.here()
	}
	if !p.known {
		return savepoint{}, b.recordCounts(), false
	}
	since = b.recordCounts().sub(p.records())
	if b.records != nil {
		return p.savepoint, since, true
	}
	if at, memory := b.obj.restartPoint(p.decoded); at.Stored > 0 {
		b.point, b.pointMemory = at, memory
	}
	if b.point.Decoded <= p.decoded {
		p.point, p.memory = b.point, b.pointMemory
	}
	return p.savepoint, since, true
}

// records are the counts of records so far.
func (b *batcher) recordCounts() Counts { return recordCounts(b.delivered, b.skipped, b.truncated) }

// records are the counts of records before the place.
func (p *countedSavepoint) records() Counts { return recordCounts(p.delivered, p.skipped, p.truncated) }

// here is the place before the record at pos. Where a record was left out and
// nothing follows yet, it is before that one: at the object's end a Scanner that
// did not see the record would miss what the record's refusal has told already.
func (b *batcher) here() countedSavepoint {
	if b.afterGap && b.start == b.end {
		return b.beforeLeftOut
	}
	p := countedSavepoint{known: true, delivered: b.delivered, skipped: b.skipped, truncated: b.truncated}
	p.record, p.decoded, p.codec, p.framer = b.nextRecord, b.at(b.from()), b.obj.facts().detection.Codec, b.framer.Name
	switch now := b.stateNow(); {
	case b.pos == len(b.ends):
		p.state = now
	case b.pos == 0:
		p.state = b.state
	default:
		p.known = now == nil && b.state == nil
	}
	return p
}

// renewEnds makes other ends if a sink retains a batch of these.
func (b *batcher) renewEnds() {
	if b.endsRetained {
		b.ends, b.endsRetained = make([]uint32, 0, cap(b.ends)), false
	}
}

// stateNow is what the framer needs to go on behind the last of ends.
func (b *batcher) stateNow() []byte {
	if b.records != nil {
		return b.records.state()
	}
	return b.scanner.State()
}

// lastEnd is the last of ends, 0 if there is none.
func (b *batcher) lastEnd() int {
	if len(b.ends) == 0 {
		return 0
	}
	return int(b.ends[len(b.ends)-1])
}

// at is the decoded offset of a place relative to start.
func (b *batcher) at(place int) int64 { return b.offset - int64(b.end-b.start) + int64(place) }

// from is where the next record to hand out begins, relative to start.
func (b *batcher) from() int {
	if b.pos == 0 {
		return 0
	}
	return int(b.ends[b.pos-1])
}

// cut hands out records up to the first that is too long. It gives neither batch
// nor error when that one was left out.
func (b *batcher) cut() (*Batch, error) {
	until := len(b.ends)
	if from := b.from(); b.lastEnd()-from > b.r.MaxRecord {
		for i, prev := b.pos, from; i < until; i++ {
			if int(b.ends[i])-prev > b.r.MaxRecord {
				until = i
			} else {
				prev = int(b.ends[i])
			}
		}
		if until == b.pos {
			return b.tooLong()
		}
	}
	return b.emit(until, until == len(b.ends) && b.then == phaseLast), nil
}

// emit makes a batch of the ends from pos up to until.
func (b *batcher) emit(until int, last bool) *Batch {
	b.before = b.here()
	batch := b.newBatch()
	batch.start, batch.ends, batch.last = uint32(b.from()), b.ends[b.pos:until], last
	if last {
		b.phase = phaseEnd
	}
	b.pos = until
	b.nextRecord += int64(batch.Len())
	b.delivered += int64(batch.Len())
	return batch
}

// newBatch prepares the batch, another one if the sink retains the last.
func (b *batcher) newBatch() *Batch {
	if b.batch == nil {
		b.batch = &Batch{object: b.obj.facts().object, body: b.framer.Body, lane: b.l}
	}
	t := b.batch
	t.slab, t.raw, t.start, t.offset = b.slab, b.slab.Bytes()[b.start:b.end], 0, b.at(0)
	t.first, t.ends, t.starts, t.last = b.nextRecord, nil, !b.started, false
	b.started = true
	return t
}
