package stream

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/thaw-go/thaw/blob"
)

// After is what a [Backfill] does with each object once its records are durable:
// delete it, move it, tag it. Package stream/after has these. The fields are set
// before the job and not changed while it runs.
//
// The job acts upon an object after it was read to its proven end, the Writer was
// flushed, and the manifest that says so was saved; without a Checkpoint, after the
// flush. It leaves alone an object of which a policy or OversizedPolicy left something
// out or shortened a record, one that may have been cut ([Counts].Doubtful), and one
// whose version is not known.
//
// Until the action has succeeded and another save says so, the manifest has the object
// among Pending. A run that continues the manifest repeats these actions, so that an
// action may come twice: it must do no harm then. The objects of a source are distinct: a
// key list that names one twice fails to read it when it is gone.
type After struct {
	// Do acts upon one version of an object. It must leave another version alone. Up
	// to 32 calls run at once, beside the lanes. ctx ends with the job, where it fails
	// or its context ends, and half a minute after a job that was stopped has ended
	// otherwise.
	//
	// Nil means that the action is done. After an error the job looks at the object:
	// if it is gone, the action counts as done; if another version is there, as
	// kept. Otherwise an error of class [ClassTransient] is tried again, up to six
	// times, and one that remains counts as failed: the object stays pending.
	Do func(ctx context.Context, store *blob.Store, obj blob.Object) error

	// Check returns an error if Do cannot act upon the objects of store. It is called
	// before anything is read, and its error ends the job. Nil checks nothing.
	Check func(store *blob.Store) error

	// Writes reports whether Do may write the object of a name, as
	// [blob.Store.ObjectName] returns it. The job skips such an object of its source
	// and counts it as Own, unless the source names its keys. Nil means that Do
	// writes none.
	Writes func(name string) bool
}

// check returns what is wrong with the options, nil After included.
func (a *After) check(store *blob.Store) error {
	switch {
	case a == nil:
		return nil
	case a.Do == nil:
		return fmt.Errorf("Options.After has no Do: %w", fs.ErrInvalid)
	case a.Check == nil:
		return nil
	}
	if err := a.Check(store); err != nil {
		return fmt.Errorf("Options.After: %w", err)
	}
	return nil
}

// writes reports whether the action may write the object of a name.
func (a *After) writes(name string) bool { return a != nil && a.Writes != nil && a.Writes(name) }

// errAfterFull is the cause of the end of a job whose failed actions leave no room for
// others in the manifest.
var errAfterFull = errors.New("too many actions after objects fail")
