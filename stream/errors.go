package stream

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/stream/internal/checkpoint"
	"github.com/thaw-go/thaw/stream/internal/memory"
)

// Errors of jobs.
var (
	// Stop ends the job cleanly when a Writer or a delivery function returns it.
	// The job flushes what was written before and saves the manifest. The batch of
	// that call counts as not delivered, and the report has it under Remaining.
	//
	//lint:ignore ST1012 it is no failure: a Writer returns it as fs.SkipAll is returned
	Stop = errors.New("stop")

	// ErrOwner is the error of a run whose manifest another run holds or has taken
	// over. Wait for that run; do not remove its lock. Its class is [ClassConflict].
	ErrOwner = checkpoint.ErrOwner

	// ErrOtherJob is the error of a manifest that another job wrote: one with
	// another source, shard, framer or codec choice, or another Output. Read with those, or use another
	// manifest. Its class is [ClassConflict].
	ErrOtherJob = errors.New("manifest belongs to another job")
)

// ErrPoolBusy is returned where a read would have to wait for memory of its [Pool]
// but may not: because [ReadOptions.NoWait] is set, or because the memory is held by
// lanes that wait for the read itself, as when a sink opens an object on the Pool
// of its own job. Nothing is wrong with the object. Its class is [ClassTransient].
var ErrPoolBusy = memory.ErrBusy

// ErrManifest says that what a Checkpoint loaded is no manifest, or a damaged one.
// Nothing was read then, and it stays as it is: restore a copy, or remove it to read and
// deliver everything again. Its class is [ClassCorrupt].
var ErrManifest = errors.New("not a manifest, or a damaged one")

// Error reports which object failed, where and why. errors.Is and errors.As reach its
// causes; a [*RecordError] is among them if one record failed, or failed the object.
type Error struct {
	Source  string // name of the source or store, also in messages about an empty key
	Key     string // of the object; empty if the source failed
	Version string // of the object; empty if unknown
	Class   Class  // what can be done about it
	Offset  int64  // stored bytes consumed; for a record more than its position, since bytes are read ahead
	Decoded int64  // decoded bytes before the failure, or before the record
	Err     error  // the cause, never nil

	place place // what Entry says beside
}

// RecordError is the cause in an [*Error] of one record.
type RecordError struct {
	Index int64 // of the record in its object, from 0
	Err   error // the cause, never nil
}

// Error returns the key or source, the record, one position and the innermost cause. It
// names the class where the cause does not.
func (e *Error) Error() string {
	return "stream: " + e.Message(e.shown())
}

// shown is the object or source as messages name it.
func (e *Error) shown() string {
	if e.Key == "" {
		return e.Source
	}
	return strconv.Quote(e.Key)
}

// Message returns the text of e for an object or source that is shown as name, such as
// the path or URL by which people know it.
func (e *Error) Message(name string) string {
	var b strings.Builder
	b.WriteString(name)
	switch r := e.record(); {
	case r != nil:
		fmt.Fprintf(&b, " record %d at decoded offset %d", r.Index, e.Decoded)
	case e.Offset > 0 && e.Decoded == 0:
		fmt.Fprintf(&b, " at stored offset %d", e.Offset)
	case e.Decoded > 0:
		fmt.Fprintf(&b, " at stored offset %d (decoded %d)", e.Offset, e.Decoded)
	}
	b.WriteString(": ")
	if e.Class == ClassTruncated || e.Class != ClassOther && classOf(e.Err) != e.Class {
		fmt.Fprintf(&b, "%s: ", e.Class)
	}
	if at, ok := e.Err.(*blob.Error); ok && e.Key == "" {
		fmt.Fprintf(&b, "%s: ", at.Op)
	}
	b.WriteString(innermost(e.Err))
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// record is the cause of an error of one record, nil for others.
func (e *Error) record() *RecordError {
	r, _ := e.Err.(*RecordError)
	return r
}

// ofRecord reports whether e is of one record and not of its object.
func (e *Error) ofRecord() bool { return e.record() != nil && !e.place.object }

// Error returns the index and the cause.
func (e *RecordError) Error() string {
	return fmt.Sprintf("record %d: %s", e.Index, innermost(e.Err))
}

func (e *RecordError) Unwrap() error { return e.Err }

// innermost is the text of an error without the positions of its wrappers, for an error
// that has a position itself. Of codecs in layers, and of a codec over a store, it is
// the one that failed.
func innermost(err error) string {
	switch e := err.(type) {
	case *Error:
		return e.Message(e.shown())
	case *RecordError:
		return innermost(e.Err)
	case *blob.Error:
		return innermost(e.Err)
	case *codec.Error:
		if isPositioned(e.Err) {
			return innermost(e.Err)
		}
		return e.Codec + ": " + e.Err.Error()
	case *frame.Error:
		return e.Framer + ": " + e.Err.Error()
	}
	return err.Error()
}

func isPositioned(err error) bool {
	switch err.(type) {
	case *Error, *blob.Error, *codec.Error, *frame.Error:
		return true
	}
	return false
}

// stepError is err with what was done when it came. The error around it has the
// position.
type stepError struct {
	step string
	err  error
}

func (e *stepError) Error() string { return e.step + ": " + innermost(e.err) }
func (e *stepError) Unwrap() error { return e.err }

// kindError makes err one of a kind. The error around it has the position.
type kindError struct{ kind, err error }

func (e *kindError) Error() string   { return e.kind.Error() + ": " + innermost(e.err) }
func (e *kindError) Unwrap() []error { return []error{e.kind, e.err} }

// withCause returns err, which the end of ctx has caused, with the cause of that end.
func withCause(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
		return fmt.Errorf("%w: %w", err, cause)
	}
	return err
}
