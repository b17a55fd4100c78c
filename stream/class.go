package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/frame"
)

// Class sorts errors by what can be done about them. The set is complete and
// fixed: manifests and quarantine files name its members.
type Class uint8

const (
	Other       Class = iota // none of the below
	Missing                  // the object is not there
	Denied                   // no permission to read it
	Archived                 // in an archive tier, not restored
	Changed                  // replaced while it was read
	Transient                // throttled, timed out, connection lost, retries spent
	Truncated                // the stored bytes end too early
	Corrupt                  // the bytes are not of the format
	Checksum                 // decoded bytes do not match their checksum
	Trailing                 // bytes behind the end that are no member
	Limit                    // more window, memory, output or ratio than allowed
	Dictionary               // a dictionary that was not given
	Unsupported              // a format, variant, wish or order of a listing that is not supported
	Oversized                // a record over MaxRecord
	BadRecord                // a record that its framer or the parser refused
	SinkFailed               // Write, Flush, Open or Close of the sink
	Canceled                 // the context ended
	Conflict                 // the manifest belongs to another job or owner
)

var classNames = [...]string{
	Other: "other", Missing: "missing", Denied: "denied", Archived: "archived", Changed: "changed",
	Transient: "transient", Truncated: "truncated", Corrupt: "corrupt", Checksum: "checksum",
	Trailing: "trailing", Limit: "limit", Dictionary: "dictionary", Unsupported: "unsupported",
	Oversized: "oversized record", BadRecord: "bad record", SinkFailed: "sink", Canceled: "canceled",
	Conflict: "conflict",
}

// String gives the class as reports and manifests name it.
func (c Class) String() string {
	if int(c) < len(classNames) {
		return classNames[c]
	}
	return fmt.Sprintf("class %d", uint8(c))
}

// MarshalText gives the name.
func (c Class) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText accepts a name that String gives.
func (c *Class) UnmarshalText(b []byte) error {
	for i, name := range classNames {
		if name == string(b) {
			*c = Class(i)
			return nil
		}
	}
	return fmt.Errorf("stream: no error class %q", b)
}

// ClassOf tells the class of any error of this module. An [*Error] anywhere in
// the chain has its own, unless a sink returned it.
func ClassOf(err error) Class {
	if _, ok := errors.AsType[*sinkFailure](err); ok {
		return classOf(err)
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	return classOf(err)
}

// causes orders the sentinels from the most specific to the least: a body cut
// short by the network is transient before it is truncated.
var causes = []struct {
	is    error
	class Class
}{
	{ErrOwner, Conflict},
	{ErrOtherJob, Conflict},
	{ErrManifest, Corrupt},
	{blob.ErrChanged, Changed},
	{blob.ErrArchived, Archived},
	{blob.ErrTransient, Transient},
	{ErrPoolBusy, Transient},
	{context.Canceled, Canceled},
	{context.DeadlineExceeded, Canceled},
	{fs.ErrNotExist, Missing},
	{fs.ErrPermission, Denied},
	{frame.ErrTooLong, Oversized},
	{codec.ErrChecksum, Checksum},
	{codec.ErrTrailing, Trailing},
	{codec.ErrLimit, Limit},
	{codec.ErrDictionary, Dictionary},
	{codec.ErrUnsupported, Unsupported},
	{frame.ErrUnsupported, Unsupported},
	{blob.ErrUnsupported, Unsupported},
	{blob.ErrOrder, Unsupported},
	{codec.ErrCorrupt, Corrupt},
	{frame.ErrRecord, BadRecord},
	{io.ErrUnexpectedEOF, Truncated},
	{blob.ErrConflict, Conflict},
}

// isOfData tells the classes of errors that blame the stored bytes. Those of a file that
// was written to while it was read are bytes of no version.
func isOfData(c Class) bool {
	switch c {
	case Truncated, Corrupt, Checksum, Trailing, Limit, Dictionary, Unsupported, Oversized, BadRecord:
		return true
	}
	return false
}

func classOf(err error) Class {
	if sink, ok := errors.AsType[*sinkFailure](err); ok {
		if sink.over {
			return Canceled
		}
		return SinkFailed
	}
	for _, c := range causes {
		if errors.Is(err, c.is) {
			return c.class
		}
	}
	return Other
}
