package stream

import (
	"context"
	"fmt"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/internal/meter"
)

// lookahead is how many bytes after a record's end a Scanner may want to see
// before it reports the end. Resync may keep as much.
const lookahead = slabHead

// sight is how many bytes of a record are looked at for its end. A record with
// no end within sight is oversized. One with an end is judged by its size.
func (b *batcher) sight() int { return b.config.MaxRecord + lookahead }

// scan lets the framer look at the unconsumed bytes.
func (b *batcher) scan(ctx context.Context) error {
	if err := b.frames(ctx); err != nil {
		return err
	}
	b.renewEnds()
	if b.afterGap && b.start == b.end {
		// The object ends with a record that was left out. Its refusal has
		// said what is wrong with the end.
		b.clearEnds()
		b.deliver(b.exhausted())
		return nil
	}
	b.state = b.stateNow()
	slab := b.slab.Bytes()[b.start:b.end]
	ends, err := b.scanner.Scan(slab, b.eof, b.ends[:0])
	b.ends, b.pos = ends, 0
	switch far := b.outOfSight(); {
	case b.lastEnd() > len(slab):
		b.ends = b.ends[:0]
		return b.broken("reports an end outside of its bytes")
	case far >= 0:
		return b.judge(far)
	case err != nil:
		return b.refuse(err)
	}
	b.afterGap = b.afterGap && len(ends) == 0
	b.deliver(b.exhausted())
	return nil
}

// frames enters stage frame. Work that makes no progress in its object still ends
// with ctx.
func (b *batcher) frames(ctx context.Context) error {
	if err := b.lane.enterHolding(ctx, meter.Frame); err != nil {
		return b.reader.failIn(ctx, err)
	}
	return nil
}

// outOfSight is how many of ends are before the first record that has no end
// within sight, -1 if there is no such record.
func (b *batcher) outOfSight() int {
	most := b.sight()
	if b.end-b.start <= most {
		return -1
	}
	prev := 0
	for i, end := range b.ends {
		if int(end)-prev > most {
			return i
		}
		prev = int(end)
	}
	if b.end-b.start-prev > most {
		return len(b.ends)
	}
	return -1
}

// judge scans again up to where a record is out of sight, so that what is made of
// it depends neither on how its bytes arrived nor on what follows them: n records
// come before it, and it is bad if that shows within sight, else oversized.
func (b *batcher) judge(n int) error {
	from := 0
	if n > 0 {
		from = int(b.ends[n-1])
	}
	s, err := b.framer.New(b.scanOptions(b.at(0), b.state))
	if err != nil {
		return b.failFraming(err)
	}
	slab := b.slab.Bytes()[b.start:b.end]
	b.ends, err = s.Scan(slab[:from+b.sight()+1], false, b.ends[:0])
	b.scanner = s
	switch {
	case len(b.ends) != n || b.lastEnd() != from:
		b.ends = b.ends[:0]
		return b.broken("reports other ends of the same bytes")
	case err != nil:
		return b.refuse(err)
	}
	b.afterGap = b.afterGap && n == 0
	b.deliver(phaseLong)
	return b.moved(nil)
}

// scanOptions are those of a Scanner at a decoded offset.
func (b *batcher) scanOptions(offset int64, state []byte) *frame.Options {
	opts := &frame.Options{Offset: offset, State: state, MaxRecord: b.config.MaxRecord}
	if b.config.Oversized == TruncateOversized {
		opts.MaxRecord = 0 // what is delivered of a larger record must be seen first
	}
	return opts
}

// refuse takes the Scanner's error for the record after the ends.
func (b *batcher) refuse(err error) error {
	b.afterGap = b.afterGap && len(b.ends) == 0
	b.bad = b.recordError(b.nextRecord+int64(len(b.ends)), b.at(b.lastEnd()), nil, err)
	b.deliver(phaseBad)
	return b.moved(b.bad)
}

// moved is an error if the record after the ends begins where the one left out before
// it began: a Scanner that stands still would be called without end. refusal is
// that of the record, nil if it is too long.
func (b *batcher) moved(refusal error) error {
	if b.afterGap && b.at(0) <= b.beforeLeftOut.decoded {
		return b.noPlace(refusal)
	}
	return nil
}

// broken is the object's error when its Scanner breaks the contract.
func (b *batcher) broken(how string) error {
	return b.failFraming(fmt.Errorf("framer %s breaks its contract: it %s", b.framer.Name, how))
}

// seek looks for the record after one that is left out.
func (b *batcher) seek(ctx context.Context) error {
	if err := b.frames(ctx); err != nil {
		return err
	}
	slab := b.slab.Bytes()[b.start:b.end]
	n, done := b.resync.Resync(slab, b.eof)
	done = done || b.eof
	if n < 0 || n > len(slab) || !done && len(slab)-n >= lookahead {
		return b.broken("keeps more bytes than it may, or leaves out more than there are")
	}
	b.start += n
	if done {
		b.resync, b.afterGap = nil, true
		b.phase = b.unscanned()
		return nil
	}
	if b.fault != nil {
		return b.fail(b.fault)
	}
	return b.fill(ctx)
}
