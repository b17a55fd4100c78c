package stream

import (
	"context"
)

// Sink receives the records of a job. [SinkFunc], [ParseTo] and [PerObject] make one
// of functions. Package streamtest checks custom ones.
type Sink interface {
	// Open returns the Writer of one lane. It is called once for each lane, before
	// the lane's first batch, one call at a time. ctx ends with the job. The job
	// calls Close of what Open returned without an error; nil is an error.
	Open(ctx context.Context, lane int) (Writer, error)
}

// Writer takes the batches of one lane. Its methods are called by one goroutine at
// a time; Writers of different lanes work side by side. A Writer may implement
// [DurableWriter] or [ObjectWriter] too.
//
// Records arrive at least once. Those that were written and not flushed are
// written again by the next run, and a policy that retries may have some written
// again in this one. [Record.ID] identifies repetitions.
type Writer interface {
	// Write takes one batch. Batches of one object arrive in order, and one
	// object is finished before the next begins. An object that fails in its
	// middle has no batch with EndsObject; the next batch starts another object
	// or the same one again.
	//
	// The batch and its memory are valid until Write returns; [Batch.Retain] keeps
	// them longer. A Writer asks about a record that it cannot use by
	// [Batch.Refuse], and returns the answer if it is an error.
	//
	// [Stop] ends the job cleanly: the batch counts as not delivered, and what was
	// written before it is flushed. Any other error ends the job with class
	// [ClassSinkFailed]; no policy is asked, and the Writer is not flushed any
	// more. The end of ctx is the end of the job: Write should return soon, and its
	// error does not matter then.
	Write(ctx context.Context, b *Batch) error

	// Flush makes all batches written so far durable. Only then does the manifest
	// move past them. Flush is called at intervals of Options.CheckpointEvery, after
	// 64 objects, before a lane waits for its next object, and at the end of the
	// job; not after ctx has ended or a call has failed. An error, [Stop] excepted,
	// ends the job with class [ClassSinkFailed].
	Flush(ctx context.Context) error

	// Close releases what the Writer holds. It is called once, after every other
	// call, whether the job succeeded or not. Close is not a Flush: what was
	// written since the last Flush is written again by the next run.
	Close() error
}

// DurableWriter is implemented by Writers whose Write may leave nothing to flush.
//
// Where DurableWrites is true, a nil result of Write means that the batch is
// durable. What was written then counts as delivered also if the context or an error of
// Write ends the job: Flush, which has nothing to do, is called in these cases too.
// DurableWrites returns the same for the life of the Writer, so that a Writer around
// another can pass the call on.
type DurableWriter interface {
	Writer
	DurableWrites() bool
}

// ObjectWriter is implemented by Writers that make whole objects durable, such as
// one that writes a file for each object.
//
// The manifest does not move within an object, Flush covers the objects that have ended,
// and an object that is read again is delivered from its start. So is one that another
// run continues, also after a graceful end ([Options.Drain]).
type ObjectWriter interface {
	Writer

	// AbandonObject drops what was written of the object that has failed, if
	// anything was. It is called before another lane may read that object, and
	// before the next Write. An error ends the job with class [ClassSinkFailed].
	//
	// Where the job ends with the object, Close is called instead.
	AbandonObject() error
}

// SinkFunc is a Sink that is called with each batch. A nil result means that the
// batch is durable; other results are those of [Writer].Write. Several lanes call it
// at once.
type SinkFunc func(ctx context.Context, b *Batch) error

// Open implements [Sink].
func (f SinkFunc) Open(context.Context, int) (Writer, error) { return funcWriter{f}, nil }

type funcWriter struct{ write SinkFunc }

func (w funcWriter) Write(ctx context.Context, b *Batch) error { return w.write(ctx, b) }
func (w funcWriter) Flush(context.Context) error               { return nil }
func (w funcWriter) Close() error                              { return nil }
func (w funcWriter) DurableWrites() bool                       { return true }

// Discard is a Sink that drops everything.
var Discard Sink = SinkFunc(func(context.Context, *Batch) error { return nil })
