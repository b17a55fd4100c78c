package stream

import (
	"cmp"
	"time"

	"github.com/thaw-go/thaw/blob"
)

// RestoreOptions configures the restore of archived objects by a job. Nil in [Options]
// leaves them to OnObjectError, as errors of class [ClassArchived]. A number below zero is
// fs.ErrInvalid. Package stream/archive plans and requests restores without a job.
type RestoreOptions struct {
	// Days is how long the service keeps the readable copy. 0 means the least
	// that it offers. Services that move the object itself back ignore it.
	Days int

	// Tier is the speed, as the service spells it: "Bulk". Empty means the
	// service's default. One that it does not know is fs.ErrInvalid before
	// anything is requested.
	Tier string

	// Poll is the wait before a job first checks whether an object is readable.
	// The wait doubles with each check, up to MaxPoll, and with each restore that
	// the service refused and a policy requests again. 0 means a minute for Poll
	// and 15 minutes for MaxPoll.
	Poll, MaxPoll time.Duration

	// MaxDeferred bounds the archived objects held back; listing pauses at the
	// bound. Objects found to be archived only when opened may exceed it by about
	// Lanes + 64. Each is an entry of the manifest. 0 means 10,000.
	MaxDeferred int
}

func (o RestoreOptions) resolve() RestoreOptions {
	o.Poll = cmp.Or(o.Poll, time.Minute)
	o.MaxPoll = max(cmp.Or(o.MaxPoll, 15*time.Minute), o.Poll)
	o.MaxDeferred = cmp.Or(o.MaxDeferred, 10_000)
	return o
}

func (o *RestoreOptions) check() error {
	return refuseNegative(
		setting{"RestoreOptions.Days", int64(o.Days)},
		setting{"RestoreOptions.Poll", int64(o.Poll)},
		setting{"RestoreOptions.MaxPoll", int64(o.MaxPoll)},
		setting{"RestoreOptions.MaxDeferred", int64(o.MaxDeferred)},
	)
}

// checkFor is check, and refuses a tier that the store does not know.
func (o *RestoreOptions) checkFor(s *blob.Store) error {
	if err := o.check(); err != nil {
		return err
	}
	return s.CheckRestore(o.request())
}

func (o RestoreOptions) request() blob.RestoreRequest {
	return blob.RestoreRequest{Days: o.Days, Tier: o.Tier}
}
