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

// Class groups errors by what a program can do about them. By the name that reports,
// manifests and quarantine files have:
//
//	name         causes                               what to do
//	missing      fs.ErrNotExist                       skip it
//	denied       fs.ErrPermission                     fix credentials or rights
//	archived     blob.ErrArchived                     restore it, see Options.Restore
//	changed      blob.ErrChanged                      Retry reads the new version
//	transient    blob.ErrTransient, ErrPoolBusy       try later
//	truncated    io.ErrUnexpectedEOF of an object     copy it from its origin again
//	corrupt      codec.ErrCorrupt, ErrManifest        copy it from its origin again
//	checksum     codec.ErrChecksum                    likewise; do not trust data already read
//	trailing     codec.ErrTrailing                    set IgnoreTrailing if the bytes are harmless
//	limit        codec.ErrLimit                       raise the limit that *codec.LimitError names
//	dictionary   codec.ErrDictionary                  set codec.Options.Dictionaries
//	unsupported  ErrUnsupported of blob, codec or     skip or convert it; of a store: see its
//	             frame; blob.ErrOrder                 Traits, or import the package of its scheme
//	oversized    frame.ErrTooLong                     raise MaxRecord or set Oversized
//	bad_record   frame.ErrRecord, Batch.Refuse        skip or quarantine the record
//	sink_failed  an error of a Sink or Writer         repair the sink, run again
//	canceled     context.Canceled, DeadlineExceeded   run again
//	conflict     ErrOwner, ErrOtherJob,               wait for the other run, or use another
//	             blob.ErrConflict                     manifest; of a Put: look at the object
//	invalid      fs.ErrInvalid                        correct the key or the option
//	other        any other                            look at the error
//
// A job reads an object that was replaced since it was listed in its new version by
// itself; policies see class changed if that happens during the read, or in a [Redrive].
// They do not see sink_failed, canceled or conflict.
//
// The class decides, not errors.Is: a record that ends in its middle wraps
// io.ErrUnexpectedEOF and is bad_record, because its object is whole. Names never change;
// later versions may add classes.
type Class uint8

const (
	ClassOther       Class = iota // none of the others
	ClassMissing                  // the object does not exist
	ClassDenied                   // no permission to read the object
	ClassArchived                 // the object is in an archive tier and not restored
	ClassChanged                  // the object was replaced while it was read
	ClassTransient                // throttled, timed out or disconnected, and no retry is left
	ClassTruncated                // the stored bytes of the object end too early
	ClassCorrupt                  // the stored bytes break the format
	ClassChecksum                 // the decoded bytes do not match their checksum
	ClassTrailing                 // bytes follow the last member and are no member
	ClassLimit                    // more window, memory, output or ratio than allowed
	ClassDictionary               // compressed with a dictionary that was not supplied
	ClassUnsupported              // a format or variant that is not read, what the store cannot do, or a listing out of order
	ClassOversized                // a record larger than MaxRecord
	ClassBadRecord                // a record that the framer or the parser refused
	ClassSinkFailed               // Open, Write, Flush or Close of the sink failed
	ClassCanceled                 // the context was canceled, or its deadline passed
	ClassConflict                 // another job or run has the manifest, or a conditional Put found another object
	ClassInvalid                  // a key, a URL or an option that makes no sense
)

var classNames = [...]string{
	ClassOther: "other", ClassMissing: "missing", ClassDenied: "denied", ClassArchived: "archived", ClassChanged: "changed",
	ClassTransient: "transient", ClassTruncated: "truncated", ClassCorrupt: "corrupt", ClassChecksum: "checksum",
	ClassTrailing: "trailing", ClassLimit: "limit", ClassDictionary: "dictionary", ClassUnsupported: "unsupported",
	ClassOversized: "oversized", ClassBadRecord: "bad_record", ClassSinkFailed: "sink_failed", ClassCanceled: "canceled",
	ClassConflict: "conflict", ClassInvalid: "invalid",
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
	{blob.ErrRetryBudget, ClassTransient},
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
	{fs.ErrInvalid, ClassInvalid},
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
