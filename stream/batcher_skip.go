package stream

import (
	"errors"
	"fmt"
	"slices"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/internal/amount"
	"github.com/thaw-go/thaw/internal/meter"
)

// gap is where a record is left out whose end the scanner did not find.
type gap struct {
	resync        frame.Resyncer   // looks for the record after the one left out; nil: none is
	beforeLeftOut countedSavepoint // before that one
	afterGap      bool             // it was found, or the object's end, and no record since
}

// tooLong deals with the record at pos, which is oversized.
func (b *batcher) tooLong() (*Batch, error) {
	b.noteHeader()
	switch b.config.Oversized {
	case SkipOversized:
		return nil, b.skip()
	case TruncateOversized:
		b.beforeBatch = b.here()
		batch := b.newBatch()
		batch.start = uint32(b.from())
		batch.ends = []uint32{batch.start + uint32(b.config.MaxRecord)}
		if err := b.leaveOutNext(); err != nil {
			return nil, err
		}
		b.truncated++
		b.delivered++
		return batch, nil
	}
	err := b.nextError(fmt.Errorf("%w of %s", frame.ErrTooLong, amount.Memory(int64(b.config.MaxRecord))))
	if b.pos == len(b.ends) {
		b.bad, b.phase = err, phaseBad
	}
	return nil, err
}

// noteHeader notes that the record that is too long has the header in its raw bytes, which
// may be the cause.
func (b *batcher) noteHeader() {
	const note = "the first record, which takes the header with it, is over MaxRecord"
	d := &b.reader.facts().detection
	if b.framer.HasHeader && b.nextRecord == 0 && !slices.Contains(d.Notes, note) {
		d.Notes = append(d.Notes, note)
	}
}

// nextError refuses the next record.
func (b *batcher) nextError(err error) error {
	from := b.from()
	var raw []byte
	if b.pos < len(b.ends) {
		raw = b.slab.Bytes()[b.start+from : b.start+int(b.ends[b.pos])]
	}
	return b.recordError(b.nextRecord, b.at(from), raw, err)
}

// recordError refuses one record. raw is nil if its end is not known. Of an object that
// was written to meanwhile it refuses the object: no record of it is worth a policy.
func (b *batcher) recordError(index, offset int64, raw []byte, err error) error {
	if changed := b.reader.changed(); changed != nil {
		return b.reader.fail(changed)
	}
	object := b.reader.facts().object
	return &Error{
		Source: object.source, Key: object.info.Key, Version: object.info.Version,
		Offset: b.storedFor(offset), Decoded: offset, Class: recordClass(err), Err: &RecordError{index, err},
		place: b.recordPlace(meter.Frame, offset, raw),
	}
}

// storedFor is the stored offset of a decoded one where they are the same, else
// how far the decoder is.
func (b *batcher) storedFor(decoded int64) int64 {
	if b.bytes != nil && b.reader.facts().detection.Plain() {
		return decoded
	}
	stored, _ := b.reader.offsets()
	return stored
}

// recordClass is classOf, but what ends inside a record is a bad record: the
// object itself was read to its proven end.
func recordClass(err error) Class {
	switch c := classOf(err); c {
	case ClassTruncated, ClassOther, ClassInvalid:
		return ClassBadRecord
	default:
		return c
	}
}

// skip leaves the next record out and counts it.
func (b *batcher) skip() error {
	if err := b.leaveOutNext(); err != nil {
		return err
	}
	b.skipped++
	return nil
}

// leaveOutNext goes past the next record without handing it out.
func (b *batcher) leaveOutNext() error {
	if b.pos < len(b.ends) {
		b.nextRecord++
		b.pos++
		return nil
	}
	rs, ok := b.scanner.(frame.Resyncer)
	if !ok || errors.Is(b.bad, frame.ErrNoResync) {
		return b.noPlace(b.bad)
	}
	b.beforeLeftOut = b.here()
	b.nextRecord++
	b.bad, b.afterGap = nil, false
	b.start += b.lastEnd()
	b.clearEnds()
	b.resync, b.phase = rs, phaseSeek
	return nil
}

// noPlace is the object's error when no record can be found after a refused one.
// cause is its refusal, nil if it is too long.
func (b *batcher) noPlace(cause error) error {
	if cause == nil {
		cause = frame.ErrTooLong
	}
	if r, ok := errors.AsType[*RecordError](cause); ok {
		cause = r.Err
	} else if e, ok := errors.AsType[*Error](cause); ok {
		cause = e.Err
	}
	if !errors.Is(cause, frame.ErrTooLong) && !errors.Is(cause, frame.ErrRecord) {
		cause = &kindError{frame.ErrRecord, cause}
	}
	return b.failFraming(&stepError{"no record can be found after a bad one", cause})
}
