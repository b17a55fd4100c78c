package archive

import (
	"time"

	"github.com/thaw-go/thaw/stream"
)

// Plan says what of a source can be read now, what must be restored first, and how long
// that takes.
type Plan struct {
	Online    stream.Tally `json:"online"`    // reads at once
	Restored  stream.Tally `json:"restored"`  // a copy is readable for a time
	Restoring stream.Tally `json:"restoring"` // a restore was requested before
	Archived  stream.Tally `json:"archived"`  // must be restored first; those that Request requests included

	// Small are those of Archived below 128 KiB. Services charge each object's
	// request, and often a least size.
	Small stream.Tally `json:"small"`

	// Classes are Archived and Restoring by storage class, in order of names. It is
	// never nil.
	Classes []Class `json:"classes"`

	// Requested are those of Archived that [Request] has requested. A later plan counts
	// them as Restoring.
	Requested stream.Tally `json:"requested"`

	// Failed are the objects that could not be looked up or requested. Failures
	// are the first of them, with the reasons: at most 1,000, and at most 1 MiB in
	// JSON.
	Failed   stream.Tally             `json:"failed"`
	Failures []stream.QuarantineEntry `json:"failures,omitempty"`
}

// Class is what a Plan has in one storage class.
type Class struct {
	// Class is the storage class, as the service spells it.
	Class string `json:"class"`

	// Tally counts its objects that are archived or being restored.
	Tally stream.Tally `json:"tally"`

	// Wait is how long a restore takes at most, as the service documents it for the
	// tier of Options. 0 means unknown, as for a class or a tier without such a figure.
	Wait time.Duration `json:"wait_ns"`
}

// Objects returns how many objects the plan is about.
func (p *Plan) Objects() int64 {
	return p.Online.Objects + p.Restored.Objects + p.Restoring.Objects + p.Archived.Objects + p.Failed.Objects
}

// Readable reports whether nothing has to be restored or waited for.
func (p *Plan) Readable() bool { return p.Archived.Objects+p.Restoring.Objects == 0 }
