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
	ClassOther       Class = iota // none of the below
	ClassMissing                  // the object is not there
	ClassDenied                   // no permission to read it
	ClassArchived                 // in an archive tier, not restored
	ClassChanged                  // replaced while it was read
	ClassTransient                // throttled, timed out, connection lost, retries spent
	ClassTruncated                // the stored bytes end too early
	ClassCorrupt                  // the bytes are not of the format
	ClassChecksum                 // decoded bytes do not match their checksum
	ClassTrailing                 // bytes behind the end that are no member
	ClassLimit                    // more window, memory, output or ratio than allowed
	ClassDictionary               // a dictionary that was not given
	ClassUnsupported              // a format, variant, wish or order of a listing that is not supported
	ClassOversized                // a record over MaxRecord
	ClassBadRecord                // a record that its framer or the parser refused
	ClassSinkFailed               // Write, Flush, Open or Close of the sink
	ClassCanceled                 // the context ended
	ClassConflict                 // the manifest belongs to another job or owner
)

var classNames = [...]string{
	ClassOther: "other", ClassMissing: "missing", ClassDenied: "denied", ClassArchived: "archived", ClassChanged: "changed",
	ClassTransient: "transient", ClassTruncated: "truncated", ClassCorrupt: "corrupt", ClassChecksum: "checksum",
	ClassTrailing: "trailing", ClassLimit: "limit", ClassDictionary: "dictionary", ClassUnsupported: "unsupported",
	ClassOversized: "oversized", ClassBadRecord: "bad_record", ClassSinkFailed: "sink_failed", ClassCanceled: "canceled",
	ClassConflict: "conflict",
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
	{ErrOwner, ClassConflict},
	{ErrOtherJob, ClassConflict},
	{ErrManifest, ClassCorrupt},
	{blob.ErrChanged, ClassChanged},
	{blob.ErrArchived, ClassArchived},
	{blob.ErrTransient, ClassTransient},
	{ErrPoolBusy, ClassTransient},
	{context.Canceled, ClassCanceled},
	{context.DeadlineExceeded, ClassCanceled},
	{fs.ErrNotExist, ClassMissing},
	{fs.ErrPermission, ClassDenied},
	{frame.ErrTooLong, ClassOversized},
	{codec.ErrChecksum, ClassChecksum},
	{codec.ErrTrailing, ClassTrailing},
	{codec.ErrLimit, ClassLimit},
	{codec.ErrDictionary, ClassDictionary},
	{codec.ErrUnsupported, ClassUnsupported},
	{frame.ErrUnsupported, ClassUnsupported},
	{blob.ErrUnsupported, ClassUnsupported},
	{blob.ErrOrder, ClassUnsupported},
	{codec.ErrCorrupt, ClassCorrupt},
	{frame.ErrRecord, ClassBadRecord},
	{io.ErrUnexpectedEOF, ClassTruncated},
	{blob.ErrConflict, ClassConflict},
}

// isOfData tells the classes of errors that blame the stored bytes. Those of a file that
// was written to while it was read are bytes of no version.
func isOfData(c Class) bool {
	switch c {
	case ClassTruncated, ClassCorrupt, ClassChecksum, ClassTrailing, ClassLimit, ClassDictionary, ClassUnsupported, ClassOversized, ClassBadRecord:
		return true
	}
	return false
}

func classOf(err error) Class {
	if sink, ok := errors.AsType[*sinkFailure](err); ok {
		if sink.over {
			return ClassCanceled
		}
		return ClassSinkFailed
	}
	for _, c := range causes {
		if errors.Is(err, c.is) {
			return c.class
		}
	}
	return ClassOther
}
