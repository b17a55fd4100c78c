package stream

import (
	"time"

	"github.com/thaw-go/thaw/blob"
)

// task is one object to read.
type task struct {
	ordinal int64
	obj     blob.Object
	from    *savepoint // where reading begins, nil for the start
	entry   entry
	chosen  *selection // what to deliver; nil: all
	failure restoreFailure

	// What was decoded before, and why it is decoded again.
	repeats repeats

	restoreWait time.Duration // before its next restore request; 0 if it was not held back yet
}

// entry is what the ledger has of a task.
type entry struct {
	tally   Tally // as listed
	counts  Counts
	flushed Counts // what of counts the manifest has
	since   Counts // what of counts is counted again from task.from on
	lost    bool   // counts are not known at task.from
	opened  bool   // the rows of codecs and framers count it

	redecoded redecodedPlaces

	leftBefore int64 // records left out or shortened by earlier runs, before task.from
	done       bool  // read to its proven end
	doubtful   bool  // of done: may have been cut
}

// leftOut is how many records were left out or shortened, by all runs.
func (e *entry) leftOut() int64 { return e.leftBefore + e.counts.leftOut() }

// restoreFailure is why an object could not be restored.
type restoreFailure struct {
	err     error // until a lane takes it up
	refused bool  // whether to request it again is left to the policy
}
