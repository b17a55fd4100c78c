package stream

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// Action is what a Policy wants done.
type Action uint8

const (
	// Fail ends the job with the error.
	Fail Action = iota

	// Skip counts the object or record as skipped and goes on.
	Skip

	// Quarantined is Skip for what the policy has put on record elsewhere.
	Quarantined

	// Retry reads the object again from the last record delivered. For a
	// record it is Fail.
	Retry

	// Restore asks for the archived object to be restored and takes it up
	// again when it is readable, where Options.Restore is set; else it is
	// Fail. Objects of class [ClassArchived] are restored then without asking.
	// Where the service has refused to restore it, it is asked again after a
	// pause that grows from RestoreOptions.Poll to MaxPoll; a refusal of
	// class [ClassUnsupported] or [ClassMissing] is for good, and Restore is Fail.
	Restore
)

// String gives the action in lower case.
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
	case Restore:
		return "restore"
	}
	return fmt.Sprintf("action %d", uint8(a))
}

// Policy decides about one failed object or record. A job calls it one call at a
// time; it may keep state, and then belongs to one job. An error of its own (a
// quarantine that cannot be written) ends the job. Nil stands for Fail. Errors of
// the sink, of the context and of the manifest never reach a Policy.
type Policy func(e *Error) (Action, error)

// SkipAtMost skips the first n failures and fails at the next.
func SkipAtMost(n int) Policy {
	return func(*Error) (Action, error) {
		if n--; n < 0 {
			return Fail, nil
		}
		return Skip, nil
	}
}

// SkipClasses skips failures of the given classes, of any class if none is given.
func SkipClasses(classes ...Class) Policy {
	return func(e *Error) (Action, error) {
		if matches(e, classes) {
			return Skip, nil
		}
		return Fail, nil
	}
}

// RetryAtMost retries failures of the given classes, up to n times for each object. If
// none is given, those of any class are retried but of [ClassLimit], [ClassDictionary],
// [ClassUnsupported], [ClassOversized] and [ClassBadRecord]: reading again changes none of them.
func RetryAtMost(n int, classes ...Class) Policy {
	tries := map[string]int{}
	return func(e *Error) (Action, error) {
		if !matches(e, classes) || len(classes) == 0 && lasting(e.Class) {
			return Fail, nil
		}
		if tries[e.Key]++; tries[e.Key] > n {
			delete(tries, e.Key)
			return Fail, nil
		}
		return Retry, nil
	}
}

// FirstOf asks policies in turn and takes the first answer that is not Fail.
func FirstOf(policies ...Policy) Policy {
	return func(e *Error) (Action, error) {
		for _, p := range policies {
			if a, err := p(e); err != nil || a != Fail {
				return a, err
			}
		}
		return Fail, nil
	}
}

// Quarantine writes failures of the given classes, of any class if none is given,
// to w, each as one line of JSON ([QuarantineEntry]) by one Write, and goes on
// without the object or record. w is not closed. One Quarantine may serve several
// jobs at once.
func Quarantine(w io.Writer, classes ...Class) Policy {
	turn := make(chan struct{}, 1) // not a mutex: w may block
	return func(e *Error) (Action, error) {
		if !matches(e, classes) {
			return Fail, nil
		}
		line, err := json.Marshal(entryOf(e))
		if err != nil {
			return Fail, err
		}
		turn <- struct{}{}
		defer func() { <-turn }()
		if _, err := w.Write(append(line, '\n')); err != nil {
			return Fail, fmt.Errorf("stream: quarantine: %w", err)
		}
		return Quarantined, nil
	}
}

// QuarantineEntry is a failure as quarantine files and manifests keep it.
type QuarantineEntry struct {
	Key     string `json:"key"`
	Version string `json:"version,omitempty"`
	Class   Class  `json:"class"`
	Offset  int64  `json:"offset"`           // stored
	Decoded int64  `json:"decoded"`          // decoded
	Record  *int64 `json:"record,omitempty"` // absent when the whole object failed
	Error   string `json:"error"`            // at most 4 KiB; the middle of a longer one is left out
}

func entryOf(e *Error) QuarantineEntry {
	q := QuarantineEntry{
		Key: e.Key, Version: e.Version, Class: e.Class, Offset: e.Offset, Decoded: e.Decoded,
		Error: clipped(innermost(e.Err)),
	}
	if r := e.record(); r != nil {
		q.Record = &r.Index
	}
	return q
}

// lasting says that reading again ends in the same failure.
func lasting(c Class) bool {
	switch c {
	case ClassLimit, ClassDictionary, ClassUnsupported, ClassOversized, ClassBadRecord:
		return true
	}
	return false
}

func matches(e *Error, classes []Class) bool {
	return len(classes) == 0 || slices.Contains(classes, e.Class)
}
