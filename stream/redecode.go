package stream

import "fmt"

// RedecodeReason is why a part of an object was decoded once more.
type RedecodeReason uint8

const (
	// RedecodeNoPoint and RedecodeAtPoint are those of an object that a run resumes:
	// the bytes between the place where decoding begins and the record at which the run
	// continues. That place is the start of the object where its format has no restart
	// point before that record, or a restart point.
	RedecodeNoPoint RedecodeReason = iota + 1
	RedecodeAtPoint

	// RedecodeChanged is that of an object that was replaced and is read again from its
	// start, as far as the version before was decoded.
	RedecodeChanged

	// RedecodeReopened is that of an object whose decoder was closed in the middle, so
	// that another one decodes up to where it was: memory ran short, or what several
	// workers took for units were none.
	RedecodeReopened

	// RedecodeRetried is that of an object that a policy's Retry reads again,
	// RedecodeRestored that of one that was archived while it was read.
	RedecodeRetried
	RedecodeRestored

	// RedecodeWholeObject is that of an object that is read again from its start since
	// the sink takes whole objects: see [Batch.HoldObject].
	RedecodeWholeObject
)

// redecodeReasons are the names of the reasons in JSON, and what the text of a report says
// of objects.
var redecodeReasons = [...]struct{ name, text string }{
	{},                  // zero is no reason
	RedecodeNoPoint:     {"no_restart_point", "resumed without a restart point"},
	RedecodeAtPoint:     {"restart_point", "resumed at a restart point"},
	RedecodeChanged:     {"changed", "replaced meanwhile"},
	RedecodeReopened:    {"reopened", "begun again in the middle: memory ran short, or units were none"},
	RedecodeRetried:     {"retried", "retried by a policy"},
	RedecodeRestored:    {"restored", "archived meanwhile"},
	RedecodeWholeObject: {"whole_object", "begun again for a sink of whole objects"},
}

// String returns the name of the reason in reports: "no_restart_point".
func (r RedecodeReason) String() string {
	if r > 0 && int(r) < len(redecodeReasons) {
		return redecodeReasons[r].name
	}
	return fmt.Sprintf("reason %d", uint8(r))
}

// MarshalText returns the name.
func (r RedecodeReason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText accepts what String returns for a reason. Other names are an error.
func (r *RedecodeReason) UnmarshalText(b []byte) error {
	for i, known := range redecodeReasons {
		if i > 0 && known.name == string(b) {
			*r = RedecodeReason(i)
			return nil
		}
	}
	return fmt.Errorf("stream: no reason %q to decode again", b)
}

// RedecodedObject is what was decoded again of one object for one reason.
type RedecodedObject struct {
	Key     string         `json:"key"`
	Reason  RedecodeReason `json:"reason"`
	Decoded int64          `json:"redecoded_bytes"` // decoded once more
}

// redecodedBytes are bytes by the reason why they were decoded again.
type redecodedBytes [len(redecodeReasons)]int64

func (b *redecodedBytes) sum() int64 {
	var sum int64
	for _, n := range b {
		sum += n
	}
	return sum
}

func (b redecodedBytes) sub(c redecodedBytes) redecodedBytes {
	for i := range b {
		b[i] -= c[i]
	}
	return b
}

// repeats says which part of an object was decoded before, and why it is decoded again.
type repeats struct {
	why    RedecodeReason // of the next reading, 0 for the first; RedecodeNoPoint for RedecodeAtPoint too
	before int64          // decoded offset up to which it was decoded
}

// again says that the object is read again for a reason. If nothing was read of it since
// the reason before, that one stays.
func (r *repeats) again(why RedecodeReason) {
	if r.why == 0 {
		r.why = why
	}
}

// whole says that an object that an earlier run has read begins again for a sink of whole
// objects.
func (r *repeats) whole() {
	if r.why == RedecodeNoPoint {
		r.why = RedecodeWholeObject
	}
}

// read says that a reading of the object has reached a decoded offset.
func (r *repeats) read(end int64) {
	if r.why == RedecodeChanged {
		r.before = 0 // it was another version
	}
	r.why, r.before = 0, max(r.before, end)
}

// of returns the bytes that were decoded again by a reading from a decoded offset to
// another.
func (r *repeats) of(from, to int64) (b redecodedBytes) {
	why := r.why
	if why == RedecodeNoPoint && from > 0 {
		why = RedecodeAtPoint
	}
	b[why] = max(0, min(to, r.before)-from)
	return b
}
