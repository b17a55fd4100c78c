package stream

import (
	"fmt"
	"slices"
)

// Action is the answer of a [Policy].
type Action uint8

const (
	// Fail ends the job with the error. For a record it fails the object instead, and
	// Options.OnObjectError decides about that.
	Fail Action = iota

	// Skip counts the object or record as skipped, and the job goes on. Where no
	// record can be found after a bad one ([frame.ErrNoResync]), skipping it fails the
	// object, and Options.OnObjectError decides.
	Skip

	// Quarantined is Skip for what the policy has recorded elsewhere.
	Quarantined

	// Retry reads the object again at once, from the last record delivered. As the
	// answer for a record it means Fail.
	Retry

	// RestoreThenRetry requests the restore of an object and reads it once it is
	// readable. Without Options.Restore it means Fail. With it, the job restores
	// objects of class [ClassArchived] without asking a policy, and asks one only if
	// the service refuses the restore: RestoreThenRetry then requests it again after
	// a pause, which grows from RestoreOptions.Poll to MaxPoll. A refusal of class
	// [ClassUnsupported], [ClassMissing] or [ClassInvalid] is final:
	// RestoreThenRetry means Fail.
	RestoreThenRetry
)

// String returns the action in lower case: "fail", "skip", "quarantine", "retry" or
// "restore".
func (a Action) String() string {
	switch a {
	case Fail:
		return "fail"
	case Skip:
		return "skip"
	case Quarantined:
		return "quarantine"
	case Retry:
		return "retry"
	case RestoreThenRetry:
		return "restore"
	}
	return fmt.Sprintf("action %d", uint8(a))
}

// Policy decides about one failed object or record. Nil means Fail. e is valid after the
// call; t is what the job has counted so far. A job makes one call at a time, so that a
// Policy may keep state; one that does belongs to one job. An error, such as that of a
// quarantine that cannot be written, ends the job. Policies do not see errors of the
// sink, the context or the manifest.
type Policy func(e *Error, t Totals) (Action, error)

// Totals are what was delivered and left out before a failure, by all runs of a job. With
// several lanes, what other lanes have in hand may be missing.
type Totals struct {
	Delivered int64 // records
	LeftOut   int64 // records that a policy or OversizedPolicy left out

	ObjectDelivered int64 // records of the object, in this run
	ObjectLeftOut   int64 // likewise left out

	Done           int64 // objects read to their proven end
	ObjectsLeftOut int64 // objects that a policy left out
}

// Within bounds what [SkipWithin] leaves out. A zero field does not bound; the zero value
// bounds nothing.
type Within struct {
	// Count is how many failures are skipped at most.
	Count int64

	// Share is the part of all records, from 0 to 1, that may be left out: with 0.01,
	// at most 2 of the first 200. For objects it is the part of all objects.
	Share float64

	// After is the least number of records, or objects, that Share is applied to, so
	// that one bad record at the start is not 100 %. 0 means 1.
	After int64

	// PerObject applies Count and Share to the records of each object on its own.
	// For objects it has no meaning.
	PerObject bool
}

// SkipWithin returns a Policy that skips failures while the bounds hold, this failure
// included, and fails at the first beyond. The bounds count all runs of the job; with
// PerObject, they count this run only.
func SkipWithin(w Within) Policy {
	return func(e *Error, t Totals) (Action, error) {
		left, good := t.ObjectsLeftOut, t.Done
		switch {
		case e.ofRecord() && w.PerObject:
			left, good = t.ObjectLeftOut, t.ObjectDelivered
		case e.ofRecord():
			left, good = t.LeftOut, t.Delivered
		}
		left++ // this one
		if w.Count > 0 && left > w.Count || w.Share > 0 && float64(left) > w.Share*float64(max(left+good, w.After)) {
			return Fail, nil
		}
		return Skip, nil
	}
}

// SkipAtMost returns a Policy that skips the first n failures and fails at the next. It
// counts from 0 in every run; [SkipWithin] counts all runs of a job.
func SkipAtMost(n int) Policy {
	return func(*Error, Totals) (Action, error) {
		if n--; n < 0 {
			return Fail, nil
		}
		return Skip, nil
	}
}

// SkipClasses returns a Policy that skips failures of the given classes, and of any
// class if none is given. Others fail.
func SkipClasses(classes ...Class) Policy {
	return func(e *Error, _ Totals) (Action, error) {
		if matches(e, classes) {
			return Skip, nil
		}
		return Fail, nil
	}
}

// RetryAtMost returns a Policy that retries failures of the given classes up to n times
// for each object, without a wait. If none is given, it retries all but [ClassLimit],
// [ClassDictionary], [ClassUnsupported], [ClassOversized], [ClassBadRecord] and
// [ClassInvalid], which another read would meet again: also missing and denied objects,
// for instance. Others fail.
func RetryAtMost(n int, classes ...Class) Policy {
	tries := map[string]int{}
	return func(e *Error, _ Totals) (Action, error) {
		if !matches(e, classes) || len(classes) == 0 && isLasting(e.Class) {
			return Fail, nil
		}
		if tries[e.Key]++; tries[e.Key] > n {
			delete(tries, e.Key)
			return Fail, nil
		}
		return Retry, nil
	}
}

// FirstOf returns a Policy that asks policies in turn and returns the first answer that
// is not Fail. Policies after that one are not asked: FirstOf(SkipAtMost(100),
// Quarantine(w)) skips 100 failures that nothing records. See [AllOf].
func FirstOf(policies ...Policy) Policy {
	return func(e *Error, t Totals) (Action, error) {
		for _, p := range policies {
			if a, err := p(e, t); err != nil || a != Fail {
				return a, err
			}
		}
		return Fail, nil
	}
}

// AllOf returns a Policy that asks policies in turn and returns the last answer, or the
// first that is Fail. Policies after that one are not asked:
//
//	stream.AllOf(stream.SkipWithin(stream.Within{Count: 100}), stream.Quarantine(w))
//
// skips at most 100 failures and records each. AllOf of nothing is Fail.
func AllOf(policies ...Policy) Policy {
	return func(e *Error, t Totals) (last Action, err error) {
		for _, p := range policies {
			if last, err = p(e, t); err != nil || last == Fail {
				return Fail, err
			}
		}
		return last, nil
	}
}

// isLasting reports whether another read ends in the same failure.
func isLasting(c Class) bool {
	switch c {
	case ClassLimit, ClassDictionary, ClassUnsupported, ClassOversized, ClassBadRecord, ClassInvalid:
		return true
	}
	return false
}

func matches(e *Error, classes []Class) bool {
	return len(classes) == 0 || slices.Contains(classes, e.Class)
}
