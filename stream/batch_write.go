package stream

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// writeHost is what a Batch asks of the lane whose Write it is in.
type writeHost interface {
	// refuseRecord asks the policy about record i of the batch, before which left are
	// left out. nil means that the record is left out.
	refuseRecord(b *Batch, i int, cause error, left int) error

	// parse runs f in stage parse.
	parse(ctx context.Context, f func() error) error

	// holdObject keeps the manifest at the start of objects.
	holdObject() error
}

// writing is the Write that a Batch is in.
type writing struct {
	host    writeHost     // nil when there is none
	refusal *failedRecord // of a record that fails the object
	left    []int         // records that were refused and left out, ascending
}

// failedRecord is the answer that a record of a batch fails its object. It passes through
// Writers as an error, and is none of the sink.
type failedRecord struct {
	record int // within the batch
	err    error
}

func (r *failedRecord) Error() string { return r.err.Error() }
func (r *failedRecord) Unwrap() error { return r.err }

// Refuse reports that the Writer cannot use record i, and why, and asks
// Options.OnRecordError about it. The policy gets an [*Error] of class
// [ClassBadRecord] that wraps a [*RecordError] with the index and err.
//
// A nil result means that the record is left out: it counts as skipped, and Write
// continues with the others. Any other result means that the record fails its
// object: Write takes the records before i, without those left out, and returns
// the result or an error that wraps it. These records count as delivered. The
// object is then for Options.OnObjectError to decide on; where it is read again,
// the batch may be delivered again from its first record.
//
// Indices, and the [Record.ID] of other records, do not depend on what is refused.
// A record that was left out already is not asked about again.
//
// Refuse may be called until Write returns, by the goroutine that called Write.
// Afterwards, and for a copy that [Batch.Retain] made, it returns an error that
// wraps fs.ErrInvalid.
func (b *Batch) Refuse(i int, err error) error {
	if b.host == nil {
		return errNotInWrite
	}
	if b.refusal != nil && i >= b.refusal.record {
		return b.refusal
	}
	at, known := slices.BinarySearch(b.left, i)
	if known {
		return nil
	}
	if failed := b.host.refuseRecord(b, i, err, at); failed != nil {
		b.refusal = &failedRecord{i, failed}
		return b.refusal
	}
	b.left = slices.Insert(b.left, at, i)
	return nil
}

// errNotInWrite answers calls that only make sense within Write.
var errNotInWrite = fmt.Errorf("stream: the batch is not being written: %w", fs.ErrInvalid)

// Parse runs f in stage parse instead of sink, and returns the error of f. A
// Writer that turns records into values calls it for that part of Write: the time
// is reported on its own, and f holds one of the Options.Workers, so that lanes
// which parse and lanes which decode share the processors. f should not block; it
// may call [Batch.Refuse]. If ctx ends while Parse waits for a worker, f is not
// run and the error is that of ctx.
//
// Parse may be called until Write returns, by the goroutine that called Write.
// Afterwards, and for a copy that [Batch.Retain] made, it only runs f.
func (b *Batch) Parse(ctx context.Context, f func() error) error {
	if b.host == nil {
		return f()
	}
	return b.host.parse(ctx, f)
}

// HoldObject keeps the manifest at the object's start until Write returns nil for
// the batch that ends the object. A Writer that makes whole objects durable calls
// it for each batch and returns an error that it gets: the reading began within
// the object, where an earlier run had stopped, and the object is read again from
// its start.
//
// An [ObjectWriter] need not call it, unless a Writer that does not implement
// ObjectWriter may wrap it.
//
// HoldObject may be called until Write returns, by the goroutine that called Write.
// Afterwards, and for a copy that [Batch.Retain] made, it returns an error that
// wraps fs.ErrInvalid.
func (b *Batch) HoldObject() error {
	if b.host == nil {
		return errNotInWrite
	}
	return b.host.holdObject()
}

// errFromStart ends a reading that began within its object.
var errFromStart = errors.New("stream: the sink takes whole objects; this one is read again from its start")

// begin prepares the batch for a Write that host stands for.
func (b *Batch) begin(host writeHost) { b.host, b.refusal, b.left = host, nil, b.left[:0] }

// end ends the Write.
func (b *Batch) end() { b.host = nil }

// taken is how many records the Writer took of those before a refusal that failed
// the object, and how many of them were left out.
func (b *Batch) taken() (n, left int) {
	if b.refusal == nil {
		return b.Len(), len(b.left)
	}
	left, _ = slices.BinarySearch(b.left, b.refusal.record)
	return b.refusal.record, left
}
