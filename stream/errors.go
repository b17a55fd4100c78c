package stream

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/thaw-go/thaw/stream/internal/checkpoint"
)

// Errors of jobs.
var (
	// Stop, returned by a Writer or a delivery function, ends the job cleanly:
	// what was written before is flushed and kept in the manifest, the batch it
	// was returned for counts as not delivered, the report says what remains.
	//
	//lint:ignore ST1012 it is no failure: a Writer returns it as fs.SkipAll is returned
	Stop = errors.New("stop")

	// ErrOwner says that another run has taken the manifest over, or holds it.
	ErrOwner = checkpoint.ErrOwner

	// ErrOtherJob says that a manifest was written by another job: another
	// source, shard, framer or codec choice.
	ErrOtherJob = errors.New("manifest belongs to another job")
)

// Error says what failed in which object or record.
type Error struct {
	Source  string // name of the source or store
	Key     string // empty when the error is of the source
	Version string // of the object, where known
	Offset  int64  // stored offset reached; -1 where nothing was read; for a record of compressed data it includes what was read ahead
	Decoded int64  // decoded offset reached, or that of the record
	Record  int64  // index of the record; -1 when the error is of the object
	Class   Class
	Err     error
}

func (e *Error) Error() string {
	var b strings.Builder
	if e.Key == "" {
		return fmt.Sprintf("stream: %s: %v", e.Source, e.Err)
	}
	fmt.Fprintf(&b, "stream: %q", e.Key)
	if e.Record >= 0 {
		fmt.Fprintf(&b, " record %d", e.Record)
	}
	switch {
	case e.Record >= 0:
		fmt.Fprintf(&b, ": decoded offset %d", e.Decoded)
	case e.Offset >= 0:
		fmt.Fprintf(&b, ": stored offset %d, decoded offset %d", e.Offset, e.Decoded)
	}
	fmt.Fprintf(&b, ": %s: %v", e.Class, e.Err)
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// withCause is err, which the end of ctx has caused, with the cause of that.
func withCause(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
		return fmt.Errorf("%w: %w", err, cause)
	}
	return err
}

// ended is why ctx is over: its error, with the cause it was given where there is
// one.
func ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}
