package stream

import "github.com/thaw-go/thaw/codec"

// countedSavepoint is a savepoint with the counts of the records before it.
type countedSavepoint struct {
	savepoint
	recordTally
	known bool // whether the framer can go on there
}

// recordTally counts the records of one object, as far as it was read.
type recordTally struct{ delivered, skipped, truncated int64 }

func (t *recordTally) counts() Counts { return recordCounts(t.delivered, t.skipped, t.truncated) }

// restart is where decoding can begin again, and what a decoder holds there.
type restart struct {
	point  codec.Point
	memory int64
}

// savepoints is what a savepoint and the counts of the object are made of, beside what
// was handed out.
type savepoints struct {
	restart  restart           // the last place at which decoding can begin again
	repeats  repeats           // what was decoded before
	reported readTally         // what newCounts has returned
	refused  *countedSavepoint // before a batch that was not delivered

	deliveredTo int64 // with refused: decoded offset of the first record not delivered
}

// takeBack says that of the last batch only n records were delivered, without those
// left out, whatever the Writer did with the others. The savepoint is before the
// batch, if the framer's state there is known.
func (b *batcher) takeBack(n, left int) {
	p := &b.beforeBatch
	b.nextRecord, b.deliveredTo = b.batch.first+int64(n), b.batch.offsetOf(n)
	b.delivered, b.skipped, b.truncated = p.delivered+int64(n-left), p.skipped+int64(left), p.truncated
	b.refused = p
}

// leaveOut says that n records of the last batch were left out.
func (b *batcher) leaveOut(n int) {
	b.delivered -= int64(n)
	b.skipped += int64(n)
}

// savepoint returns the savepoint after what was handed out, if a later run can go on
// there, and what was counted since: that is counted again from there on.
func (b *batcher) savepoint() (pos savepoint, since Counts, ok bool) {
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
		return savepoint{}, b.recordTally.counts(), false
	}
	since = b.recordTally.counts().sub(p.recordTally.counts())
	if b.records != nil {
		return p.savepoint, since, true
	}
	if at, memory := b.reader.restartPoint(p.decoded); at.Stored > 0 {
		b.restart = restart{at, memory}
	}
	if b.restart.point.Decoded <= p.decoded {
		p.point, p.memory = b.restart.point, b.restart.memory
	}
	return p.savepoint, since, true
}

// newCounts returns what was counted since the last call, and why bytes of it were decoded
// again. What a record's refusal or a batch that was taken back undid is negative.
func (b *batcher) newCounts() (delta Counts, again redecodedBytes) {
	now := readTally{recordTally: b.recordTally}
	var suspended int64
	now.stored, now.decoded, suspended = b.reader.progress()
	_, end := b.reader.offsets()
	now.again = b.repeats.of(end-(now.decoded-suspended), end)
	now.again[RedecodeReopened] += suspended
	delta, again = now.counts().sub(b.reported.counts()), now.again.sub(b.reported.again)
	b.reported = now
	return delta, again
}

// readTally counts the records and bytes of one object, as far as it was read.
type readTally struct {
	recordTally
	stored, decoded int64
	again           redecodedBytes // of decoded: once more
}

func (t *readTally) counts() Counts {
	c := t.recordTally.counts()
	c.Stored, c.Decoded, c.Redecoded = t.stored, t.decoded, t.again.sum()
	return c
}

// here is the savepoint before the record at pos. Where a record was left out and
// nothing follows yet, it is before that one: at the object's end a Scanner that
// did not see the record would miss what the record's refusal has reported.
func (b *batcher) here() countedSavepoint {
	if b.afterGap && b.start == b.end {
		return b.beforeLeftOut
	}
	p := countedSavepoint{known: true, recordTally: b.recordTally}
	p.record, p.decoded, p.codec, p.framer = b.nextRecord, b.at(b.from()), b.reader.facts().detection.Codec, b.framer.Name
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

// stateNow is what the framer needs to go on after the last of ends.
func (b *batcher) stateNow() []byte {
	if b.records != nil {
		return b.records.state()
	}
	return b.scanner.State()
}
