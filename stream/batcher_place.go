package stream

import (
	"bytes"

	"github.com/thaw-go/thaw/internal/meter"
)

// recordPlace is the place of a record at a decoded offset that fails in stage s. raw is
// nil if its end is not known.
func (b *batcher) recordPlace(s meter.Stage, offset int64, raw []byte) place {
	p := place{stage: s.String(), stored: b.storedBefore(offset)}
	if raw == nil {
		return p
	}
	p.decodedEnd = offset + int64(len(raw))
	if b.bytes != nil && b.reader.facts().detection.Plain() {
		p.storedEnd = p.decodedEnd
	}
	if len(raw) <= mostRaw {
		p.raw = bytes.Clone(raw)
	}
	return p
}

// storedBefore is where decoding can begin for a decoded offset.
func (b *batcher) storedBefore(decoded int64) int64 {
	if b.bytes == nil {
		return 0
	}
	at, _ := b.reader.restartPoint(decoded)
	if at.Stored == 0 && b.restart.point.Decoded <= decoded {
		at = b.restart.point
	}
	return at.Stored
}

// deliveredUpTo is the index and the decoded offset of the first record that was neither
// delivered nor left out.
func (b *batcher) deliveredUpTo() (record, decoded int64) {
	if b.refused != nil {
		return b.nextRecord, b.deliveredTo
	}
	return b.nextRecord, b.at(b.from())
}
