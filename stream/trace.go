package stream

import (
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
)

// Trace is a set of hooks that observe a job. A nil hook is not called. Hooks are
// called by several goroutines at once, and a slow hook slows the job; what they
// do changes nothing else. None fires per record.
type Trace struct {
	JobStart    func(JobStart)
	JobEnd      func(JobEnd)
	ObjectStart func(ObjectStart)
	ObjectEnd   func(ObjectEnd)
	Request     func(Request)
	Failure     func(Failure)
	Checkpoint  func(CheckpointSave)
	Progress    func(Progress) // about once a second while the job runs
}

// JobStart tells what a job is about to do.
type JobStart struct {
	Source  string
	Lanes   int // at most: fewer run where there are fewer objects
	Workers int
	Memory  int64
	Resumed bool // a manifest of an earlier run was found
}

// JobEnd tells how a job ended.
type JobEnd struct {
	Source  string
	Elapsed time.Duration
	Err     error
	Report  *Report
}

// ObjectStart tells of an object whose first bytes are there.
type ObjectStart struct {
	Lane      int
	Object    blob.Object
	Detection codec.Detection
	Framer    string // name, and why it was chosen
	Resumed   int64  // index of the first record to deliver
}

// ObjectEnd tells of an object that a lane has left.
type ObjectEnd struct {
	Lane   int
	Object blob.Object

	// Detection is that of ObjectStart with what decoding added: Container and
	// Notes.
	Detection codec.Detection

	Stored  int64 // bytes read
	Decoded int64 // bytes decoded
	Records int64 // delivered
	Elapsed time.Duration
	Err     error // nil when the end was proven
}

// Request tells of one request to the store.
type Request struct {
	Lane int
	blob.Request
}

// Failure tells of an error and what is done about it.
type Failure struct {
	Lane   int
	Err    *Error
	Action Action
}

// CheckpointSave reports one save of the manifest. A save that the end of the job
// breaks off is not reported: another one follows.
type CheckpointSave struct {
	Bytes   int
	Elapsed time.Duration
	Err     error
}

// Progress tells how far a job is.
type Progress struct {
	Elapsed     time.Duration
	Listed      int64 // objects
	ListedBytes int64 // stored bytes of those whose size is known
	ListingDone bool
	Done        int64 // objects left behind, whatever their outcome
	Deferred    int64 // archived objects that wait for their restore
	Stored      int64 // stored bytes read
	Decoded     int64
	Records     int64
}

// JoinTraces is a Trace that calls the hooks of all of ts, nil ones excepted, in
// order.
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
