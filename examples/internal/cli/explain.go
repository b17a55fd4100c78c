package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/stream"
)

// ErrNothing says that what was asked for holds no object.
var ErrNothing = errors.New("no object there")

// Nothing is the error of a source without objects.
func Nothing(src string) error { return fmt.Errorf("%s: %w", src, ErrNothing) }

// Incomplete is the error of a job that left something out and did not fail; nil
// if it left nothing out.
func Incomplete(r *stream.Report) error {
	if r.Complete() {
		return nil
	}
	c := r.Counts
	var left []string
	remain := c.Remaining().Objects
	if n := c.Listed.Objects - c.Done.Objects - c.Markers - c.Indexes - c.Own - remain; n > 0 {
		left = append(left, fmt.Sprintf("%d of %s", n, Count(int(c.Listed.Objects), "object")))
	}
	if n := c.RecordsSkipped + c.RecordsTruncated; n > 0 {
		left = append(left, Count(int(n), "record"))
	}
	switch n := r.After.Pending; {
	case n > 0 && r.After.Error != "":
		return fmt.Errorf("%w: what follows was not done with %s: %s", errIncomplete, Count(int(n), "object"), r.After.Error)
	case n > 0:
		return fmt.Errorf("%w: what follows is not done with %s", errIncomplete, Count(int(n), "object"))
	case len(left) == 0 && r.Stopped:
		return fmt.Errorf("%w: it was stopped, and %d of %s listed so far remain: run it again to go on", errIncomplete, remain, Count(int(c.Listed.Objects), "object"))
	case len(left) == 0:
		return errIncomplete
	}
	return fmt.Errorf("%w: %s left out", errIncomplete, strings.Join(left, " and "))
}

// Empty reports whether a job found nothing to read: no object, or only folder markers
// and indexes.
func Empty(r *stream.Report) bool {
	c := r.Counts
	return c.Listed.Objects == c.Markers+c.Indexes+c.Own
}

var errIncomplete = errors.New("not complete")

// Explain returns the text of an error, in which objects have the names by which the
// user knows them.
func (p Place) Explain(err error) string {
	if other, ok := errors.AsType[*elsewhere](err); ok {
		return other.Error()
	}
	if e, ok := errors.AsType[*stream.Error](err); ok && e.Key != "" {
		return e.Message(p.Name(e.Key))
	} else if ok {
		return e.Message(e.Source)
	}
	if e, ok := errors.AsType[*blob.Error](err); ok && e.Key != "" {
		return of(e.Key, err).Message(p.Name(e.Key))
	} else if ok {
		return fmt.Sprintf("%s %s: %v", e.Op, e.Store, e.Err)
	}
	return err.Error()
}

// Of is err as that of the object of a key, so that it is explained like those of
// a job.
func Of(key string, err error) error {
	if _, ok := errors.AsType[*stream.Error](err); ok || err == nil {
		return err
	}
	return of(key, err)
}

func of(key string, err error) *stream.Error {
	e := &stream.Error{Key: key, Class: stream.ClassOf(err), Err: err}
	if at, ok := errors.AsType[*blob.Error](err); ok {
		e.Offset = at.Offset
	}
	if at, ok := errors.AsType[*codec.Error](err); ok {
		e.Offset, e.Decoded = at.StoredOffset, at.DecodedOffset
	}
	return e
}

// In is err of something else than the objects that are read, by the words for it:
// the key that err names is none of theirs.
func In(what string, err error) error { return &elsewhere{what, err} }

type elsewhere struct {
	what string
	err  error
}

func (e *elsewhere) Error() string {
	err := e.err
	if b, ok := errors.AsType[*blob.Error](err); ok {
		err = b.Err
	}
	return e.what + ": " + err.Error()
}

func (e *elsewhere) Unwrap() error { return e.err }

// Key is a key as messages show it: quoted where it could be mistaken.
func Key(key string) string {
	if q := strconv.Quote(key); key == "" || q[1:len(q)-1] != key || strings.ContainsAny(key, " :") {
		return q
	}
	return key
}
