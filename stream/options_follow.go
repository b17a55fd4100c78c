package stream

import (
	"cmp"
	"fmt"
	"io/fs"
	"time"

	"github.com/thaw-go/thaw/blob"
)

// FollowOptions make a job go on after its source was listed: it lists it again and again,
// and reads what is new. The zero value has the stated defaults.
//
// A listing takes as new what was modified after Late before the last complete listing
// began, and what no listing has shown before in this version. So an object is read if it
// can be listed within Late of its modification, wherever its name sorts. One that appears
// later under a name that was passed is never read: a copy that keeps an old time of
// modification, for example. Times are those of the store, compared with the clock of this
// machine: what the two differ by counts against Late.
//
// What is compared with is kept in memory and in the manifest: about 20 bytes for each
// object that was modified within Late. An object that is replaced is read again, as another
// version. One that is deleted before it is read is skipped, and counted as Gone.
type FollowOptions struct {
	// Late is how long after its modification an object may appear. 0 means 1 hour.
	Late time.Duration

	// Every is the time from the end of a listing to the begin of the next. 0 means 1
	// minute.
	Every time.Duration
}

// resolve fills in the defaults.
func (o FollowOptions) resolve() FollowOptions {
	return FollowOptions{Late: cmp.Or(o.Late, time.Hour), Every: cmp.Or(o.Every, time.Minute)}
}

// check refuses sources that cannot be followed.
func (o *FollowOptions) check(src blob.Source) error {
	switch {
	case o.Late < 0 || o.Every < 0:
		return fmt.Errorf("follow: late %v, every %v: %w", o.Late, o.Every, fs.ErrInvalid)
	case src.Named:
		return fmt.Errorf("follow: a source that names its objects has no new ones: %w", fs.ErrInvalid)
	}
	return nil
}
