package stream

import (
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
)

// Trace is a set of hooks that observe a job. A nil hook is not called.
//
// Each hook says on which goroutine it is called. Different goroutines call hooks at
// the same time, the same hook too. The goroutine waits for the hook, so that a slow hook
// slows the job by as much as its comment says: a hook may block for a moment, as for a
// lock or a write to a log, but must not wait for another hook, for the sink or for the
// end of the job. A hook changes nothing else. One that panics ends the job. None is
// called per record.
//
// What a hook receives may be kept, and must not be changed where it is a pointer or a
// slice: the job, or what Backfill returns, has the same.
type Trace struct {
	// JobStart is called once, when the options are resolved and the manifest of an
	// earlier run is loaded, before anything is listed or requested. A job that fails
	// before has JobEnd alone. It is called on the goroutine that called Backfill:
	// nothing begins until it returns.
	JobStart func(JobStart)

	// JobEnd is called once, after all other hooks and after the last save of the
	// manifest, also if the job has failed, on the goroutine that called Backfill: it
	// returns, or panics with a [*PanicError], after the hook.
	JobEnd func(JobEnd)

	// ObjectStart is called when an object's first bytes are there, and its codec and
	// framer are known, on the goroutine of its lane, which may hold a worker
	// meanwhile. An object that is read again, after a policy's Retry or a restore,
	// starts again. An object that cannot be opened does not start: Failure has it.
	ObjectStart func(ObjectStart)

	// ObjectEnd is called once for each ObjectStart, when the lane leaves the object,
	// whatever the outcome, on the goroutine of the lane, which may hold a worker
	// meanwhile.
	ObjectEnd func(ObjectEnd)

	// Request is called when a request for the bytes of an object has ended. Retries
	// and hedges are requests. It is called on the goroutine that sent the request or
	// read its body, that of the lane or one that reads ahead. The lane may wait for it
	// as for the bytes that follow.
	Request func(Request)

	// Failure is called when an object or a record has failed and the policy has
	// decided about it, on the goroutine of the lane.
	Failure func(Failure)

	// Checkpoint is called after each save of the manifest, also one that failed. A
	// save that the end of the job breaks off is left out: another one follows. It is
	// called on the goroutine of Progress, which saves nothing meanwhile; lanes go on.
	// For the saves at the end, when the lanes have ended, that is the goroutine that
	// called Backfill. There is one call at a time.
	Checkpoint func(CheckpointSave)

	// After is called when the action of Options.After upon an object is done or has
	// failed, on the goroutine that acted, one of several. Lanes wait for it only where
	// too many objects are pending.
	After func(AfterEnd)

	// SinkBlocked is called when a call of the sink, of its parse function or of a
	// policy has not returned for a minute, and again when twice that time has
	// passed, and so on, on the goroutine of Progress. The job goes on waiting.
	SinkBlocked func(SinkBlocked)

	// Progress is called about once a second while the job runs, until its lanes have
	// ended. A job that ends within the first second has no call. It is called on one
	// goroutine for the whole job, which no lane waits for; what becomes due there
	// meanwhile comes later.
	Progress func(Progress)
}

// JobStart is what a job is about to do.
type JobStart struct {
	Source  string // name
	Lanes   int    // at most: fewer run if there are fewer objects
	Workers int
	Memory  int64 // budget in bytes
	Resumed bool  // the manifest of an earlier run was loaded
}

// JobEnd is how a job ended.
type JobEnd struct {
	Source  string        // name
	Elapsed time.Duration // since the call of Backfill
	Err     error         // what Backfill returns
	Report  *Report       // what Backfill returns
}

// ObjectStart is an object whose first bytes are there.
type ObjectStart struct {
	Lane      int
	Object    blob.Object // as served
	Detection codec.Detection
	Framer    string // its name and, in parentheses, why it was chosen: "csv (extension .csv)"
	Resumed   int64  // index of the first record to deliver
}

// ObjectEnd is an object that a lane has left.
type ObjectEnd struct {
	Lane   int
	Object blob.Object // as served

	// Detection is that of ObjectStart with what decoding added: Container and
	// Notes.
	Detection codec.Detection

	Stored  int64         // bytes read in this run
	Decoded int64         // bytes decoded in this run
	Records int64         // delivered in this run
	Elapsed time.Duration // since the lane took the object
	Err     error         // nil if the end was proven
}

// Request is one request to the store.
type Request struct {
	Lane int
	blob.Request
}

// Failure is an error, and what is done about it.
type Failure struct {
	Lane   int
	Err    *Error
	Action Action
}

// CheckpointSave is one save of the manifest.
type CheckpointSave struct {
	Bytes   int           // of the manifest
	Elapsed time.Duration // of the save
	Err     error         // nil if the manifest is durable
}

// AfterEnd is an action upon an object that was done.
type AfterEnd struct {
	Object  blob.Object   // key, size and version
	Elapsed time.Duration // repetitions included
	Kept    bool          // the object was left alone: another version is there
	Err     error         // nil if the action is done or the object was kept
}

// SinkBlocked is a call of the program's code that does not return. A sink that is slow
// has many calls that each return.
type SinkBlocked struct {
	Lane    int
	Stage   string        // "sink" or "parse"
	Elapsed time.Duration // since the call
}

// Progress is how far a job is.
type Progress struct {
	Elapsed     time.Duration // since the call of Backfill
	Listed      int64         // objects
	ListedBytes int64         // stored bytes of those whose size is known
	ListingDone bool          // no more objects follow
	Done        int64         // objects finished, whatever their outcome
	Deferred    int64         // archived objects that wait for their restore
	Stored      int64         // stored bytes read
	Decoded     int64         // bytes decoded
	Records     int64         // delivered
}

// JoinTraces returns a Trace that calls the hooks of all of ts in order. Nil ones are
// left out.
func JoinTraces(ts ...*Trace) *Trace {
	joined := new(Trace)
	for _, t := range ts {
		if t == nil {
			continue
		}
		joined.JobStart = join(joined.JobStart, t.JobStart)
		joined.JobEnd = join(joined.JobEnd, t.JobEnd)
		joined.ObjectStart = join(joined.ObjectStart, t.ObjectStart)
		joined.ObjectEnd = join(joined.ObjectEnd, t.ObjectEnd)
		joined.Request = join(joined.Request, t.Request)
		joined.Failure = join(joined.Failure, t.Failure)
		joined.Checkpoint = join(joined.Checkpoint, t.Checkpoint)
		joined.After = join(joined.After, t.After)
		joined.SinkBlocked = join(joined.SinkBlocked, t.SinkBlocked)
		joined.Progress = join(joined.Progress, t.Progress)
	}
	return joined
}

func join[T any](a, b func(T)) func(T) {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(v T) { a(v); b(v) }
}

// call calls a hook that may be nil.
func call[T any](hook func(T), v T) {
	if hook != nil {
		hook(v)
	}
}
