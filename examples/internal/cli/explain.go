package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/frame"
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
	if n := c.Listed.Objects - c.Done.Objects - c.Markers - c.Indexes - c.Own; n > 0 {
		left = append(left, fmt.Sprintf("%d of %s", n, Count(int(c.Listed.Objects), "object")))
	}
	if n := c.RecordsSkipped + c.RecordsTruncated; n > 0 {
		left = append(left, Count(int(n), "record"))
	}
	if len(left) == 0 {
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

// Explain gives an error as one line, with the object and the offset where it has
// them.
func (p Place) Explain(err error) string {
	var e *stream.Error
	var b *blob.Error
	var other *elsewhere
	switch {
	case errors.As(err, &other):
		err = other.err
		if errors.As(err, &b) {
			err = b.Err
		}
		return fmt.Sprintf("%s: %v", other.what, err)
	case errors.As(err, &e) && e.Key == "": // of the source
		return p.Explain(e.Err)
	case errors.As(err, &e) && e.Record >= 0:
		return fmt.Sprintf("%s: record %d at decoded offset %d (stored %d): %s%v", p.Name(e.Key), e.Record, e.Decoded, e.Offset, class(e.Class), unsaid(e))
	case errors.As(err, &e) && e.Offset < 0:
		return fmt.Sprintf("%s: %v", p.Name(e.Key), cause(e.Err))
	case errors.As(err, &e):
		return fmt.Sprintf("%s: %sat stored offset %d (decoded %d): %v", p.Name(e.Key), strings.Replace(class(e.Class), ":", "", 1), e.Offset, e.Decoded, unsaid(e))
	case errors.As(err, &b) && b.Key != "" && b.Offset >= 0:
		return fmt.Sprintf("%s: %s at stored offset %d: %v", p.Name(b.Key), b.Op, b.Offset, b.Err)
	case errors.As(err, &b) && b.Key != "":
		return fmt.Sprintf("%s: %s: %v", p.Name(b.Key), b.Op, b.Err)
	case errors.As(err, &b) && b.Op == "list": // a job names the source once more
		return fmt.Sprintf("list %s: %v", b.Store, b.Err)
	default:
		return strings.TrimPrefix(strings.TrimPrefix(err.Error(), "stream: "), "blob: ")
	}
}

// Of is err as that of the object of a key, so that it is explained like those of
// a job.
func Of(key string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*stream.Error](err); ok {
		return err
	}
	e := &stream.Error{Key: key, Offset: -1, Record: -1, Class: stream.ClassOf(err), Err: err}
	if at, ok := errors.AsType[*blob.Error](err); ok {
		if at.Offset < 0 { // of no read
			return err
		}
		e.Offset = at.Offset
	}
	if at, ok := errors.AsType[*codec.Error](err); ok {
		e.Offset, e.Decoded = at.Offset, at.Decoded
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

func (e *elsewhere) Error() string { return e.what + ": " + e.err.Error() }

func (e *elsewhere) Unwrap() error { return e.err }

// class is the word for a class; other says nothing.
func class(c stream.Class) string {
	if c == stream.ClassOther {
		return ""
	}
	return strings.ReplaceAll(c.String(), "_", " ") + ": "
}

// said are the errors by whose words a class is named: they say nothing more.
var said = map[stream.Class][]error{
	stream.ClassChanged:     {blob.ErrChanged},
	stream.ClassCorrupt:     {codec.ErrCorrupt},
	stream.ClassChecksum:    {codec.ErrChecksum},
	stream.ClassBadRecord:   {frame.ErrRecord, frame.ErrLost},
	stream.ClassUnsupported: {frame.ErrRecord, codec.ErrUnsupported, frame.ErrUnsupported, frame.ErrLost},
}

// unsaid is the cause of an error without what its class, which stands before it,
// has said.
func unsaid(e *stream.Error) string {
	text := cause(e.Err).Error()
	for _, err := range said[e.Class] {
		if !errors.Is(e.Err, err) {
			continue
		}
		if less := strings.Replace(text, err.Error()+": ", "", 1); less != text {
			text = less
		} else if e.Class != stream.ClassChecksum && e.Class != stream.ClassCorrupt {
			text = strings.TrimSuffix(text, ": "+err.Error())
		}
	}
	return text
}

// cause is err without the positions that its wrappers repeat.
func cause(err error) error {
	switch e := err.(type) {
	case *codec.Error:
		return fmt.Errorf("%s: %w", e.Codec, cause(e.Err))
	case *frame.Error:
		return fmt.Errorf("%s: %w", e.Framer, e.Err)
	case *blob.Error:
		return cause(e.Err)
	}
	return err
}

// Key is a key as messages show it: quoted where it could be mistaken.
func Key(key string) string {
	if q := strconv.Quote(key); key == "" || q[1:len(q)-1] != key || strings.ContainsAny(key, " :") {
		return q
	}
	return key
}
