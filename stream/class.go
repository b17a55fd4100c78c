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

// Class groups errors by what can be done about them. Manifests and quarantine files
// name classes, so that names are never changed and their set is complete.
type Class uint8

const (
	ClassOther       Class = iota // none of the others
	ClassMissing                  // the object is not there
	ClassDenied                   // no permission to read it
	ClassArchived                 // in an archive tier, not restored
	ClassChanged                  // replaced while it was read
	ClassTransient                // throttled, timed out or disconnected, and no retry is left
	ClassTruncated                // the stored bytes end too early
	ClassCorrupt                  // the bytes are not of the format
	ClassChecksum                 // decoded bytes do not match their checksum
	ClassTrailing                 // bytes after the last member that are no member
	ClassLimit                    // more window, memory, output or ratio than allowed
	ClassDictionary               // compressed with a dictionary that is not there
	ClassUnsupported              // a format, a variant, a request or the order of a listing
	ClassOversized                // a record over MaxRecord
	ClassBadRecord                // a record that framer or parser refused
	ClassSinkFailed               // Open, Write, Flush or Close of the sink failed
	ClassCanceled                 // the context ended
	ClassConflict                 // the manifest belongs to another job or run
)

var classNames = [...]string{
	ClassOther: "other", ClassMissing: "missing", ClassDenied: "denied", ClassArchived: "archived", ClassChanged: "changed",
	ClassTransient: "transient", ClassTruncated: "truncated", ClassCorrupt: "corrupt", ClassChecksum: "checksum",
	ClassTrailing: "trailing", ClassLimit: "limit", ClassDictionary: "dictionary", ClassUnsupported: "unsupported",
	ClassOversized: "oversized", ClassBadRecord: "bad_record", ClassSinkFailed: "sink_failed", ClassCanceled: "canceled",
	ClassConflict: "conflict",
}

// String returns the name of the class in reports and manifests: "bad_record".
func (c Class) String() string {
	if int(c) < len(classNames) {
		return classNames[c]
	}
	return fmt.Sprintf("class %d", uint8(c))
}

// MarshalText returns the name.
func (c Class) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText accepts what String returns for a class. Other names are an error.
func (c *Class) UnmarshalText(b []byte) error {
	for i, name := range classNames {
		if name == string(b) {
			*c = Class(i)
			return nil
		}
	}
	return fmt.Errorf("stream: no error class %q", b)
}

// ClassOf returns the class of an error of this module. That of an [*Error] in its chain
// is the Error's, unless a sink returned it: then it is [ClassSinkFailed]. Errors of other
// packages, and nil, are [ClassOther].
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

// isOfData reports whether errors of a class blame the stored bytes. Bytes of a file that
// was written to while it was read belong to no version.
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
