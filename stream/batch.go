package stream

import (
	"iter"
	"slices"
	"sync/atomic"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/slab"
)

// Batch is a run of records of one object, in order, over one slab of decoded
// bytes. Records are made on demand and share the slab's memory. A Batch is valid
// until Write returns; [Batch.Retain] keeps one longer.
//
//	raw: | … |<- record 0 ->|<- record 1 ->| …
//	       start         ends[0]        ends[1]
type Batch struct {
	object *object
	body   func(raw []byte, offset int64) []byte
	raw    []byte
	start  uint32   // offset in raw of the first record
	ends   []uint32 // offsets in raw after each record
	first  int64    // index of the first record
	offset int64    // decoded offset of raw[0]
	starts bool
	last   bool

	writing

	slab     *slab.Slab // nil for a copy
	refs     atomic.Int32
	retained bool  // once: the batcher gives it and its ends up
	lane     *lane // whose Write the batch is in
}

// Len is the number of records. An empty Batch has Last set.
func (b *Batch) Len() int { return len(b.ends) }

// Object describes the object.
func (b *Batch) Object() blob.Object { return b.object.info }

// FirstIndex is the index of the first record within its object.
func (b *Batch) FirstIndex() int64 { return b.first }

// Bytes is the number of decoded bytes that the records took, framing included.
func (b *Batch) Bytes() int64 {
	if len(b.ends) == 0 {
		return 0
	}
	return int64(b.ends[len(b.ends)-1] - b.start)
}

// StartsObject reports whether this is the first batch of one pass over its object. An
// earlier pass, if there was one, is over. The first batch does not begin with record 0
// if records were left out or an earlier run is continued; see [Batch.FirstIndex].
func (b *Batch) StartsObject() bool { return b.starts }

// EndsObject says that the object ends with this batch: its end was proven, no record
// follows.
func (b *Batch) EndsObject() bool { return b.last }

// Record is record i of the batch, 0 <= i < Len.
func (b *Batch) Record(i int) Record {
	start := b.start
	if i > 0 {
		start = b.ends[i-1]
	}
	raw := b.raw[start:b.ends[i]:b.ends[i]]
	offset := b.offset + int64(start)
	if b.body != nil {
		raw = b.body(raw, offset)
	}
	return Record{Data: raw, Index: b.first + int64(i), Offset: offset, object: b.object}
}

// rawRecord returns the raw bytes of record i.
func (b *Batch) rawRecord(i int) []byte {
	return b.raw[b.offsetOf(i)-b.offset : b.ends[i] : b.ends[i]]
}

// offsetOf returns the decoded offset of record i, or after the last one.
func (b *Batch) offsetOf(i int) int64 {
	if i == 0 {
		return b.offset + int64(b.start)
	}
	return b.offset + int64(b.ends[i-1])
}

// All yields the records in order.
func (b *Batch) All() iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for i := range b.ends {
			if !yield(b.Record(i)) {
				return
			}
		}
	}
}

// Retain keeps the batch's records valid until [Batch.Release] of what it
// returns. The memory is charged to the budget; once a quarter of it is retained,
// or none is free, Retain returns a copy of the records instead. Call it within
// Write; use the result afterwards.
func (b *Batch) Retain() *Batch {
	if b.slab != nil && b.lane != nil && b.lane.pool.budget.TryRetain(int64(len(b.slab.Bytes()))) {
		b.slab.Retain()
		b.retained = true
		b.refs.Add(1)
		return b
	}
	c := &Batch{
		object: b.object, body: b.body, first: b.first, offset: b.offset + int64(b.start), starts: b.starts, last: b.last,
		raw: slices.Clone(b.raw[b.start:][:b.Bytes()]), ends: slices.Clone(b.ends),
	}
	for i := range c.ends {
		c.ends[i] -= b.start
	}
	c.refs.Store(1)
	return c
}

// Release ends a Retain. It may be called from any goroutine, once for each
// Retain; the records must not be used afterwards.
func (b *Batch) Release() {
	if b.refs.Add(-1) < 0 {
		panic("stream: Batch released twice")
	}
	if b.slab != nil {
		n := int64(len(b.slab.Bytes()))
		pool := b.lane.pool
		b.slab.Release()
		pool.budget.ReleaseRetained(n)
	}
}
