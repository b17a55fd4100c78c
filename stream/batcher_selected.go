package stream

import (
	"fmt"
	"io/fs"

	"github.com/thaw-go/thaw/blob"
)

// unselected is how many records from the next one on are not to be delivered.
func (b *batcher) unselected() int64 {
	if b.selected == nil {
		return 0
	}
	return b.selected.next(b.nextRecord) - b.nextRecord
}

// displaced refuses the next record if it is not where its entry says.
func (b *batcher) displaced() error {
	s := b.selected
	if s == nil || b.nextRecord >= s.from {
		return nil
	}
	if want, at := s.records[s.before(b.nextRecord)].offset, b.at(b.from()); want >= 0 && want != at {
		// The error has the offset of the entry: another redrive must not find it right.
		return b.recordError(b.nextRecord, want, nil, fmt.Errorf("%w: the record begins at decoded offset %d", blob.ErrChanged, at))
	}
	return nil
}

// missed is the object's error if it ends before what is selected.
func (b *batcher) missed() error {
	if s := b.selected; s != nil && s.last() >= b.nextRecord {
		return b.failFraming(fmt.Errorf("the object has %d records, its entries name record %d: %w", b.nextRecord, s.last(), fs.ErrNotExist))
	}
	return nil
}
