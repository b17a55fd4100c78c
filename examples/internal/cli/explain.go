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
	return fmt.Errorf("not complete: %d of %d objects and %d records were left out",
		c.Listed.Objects-c.Done.Objects-c.Markers-c.Indexes, c.Listed.Objects, c.RecordsSkipped+c.RecordsTruncated)
}

// Explain gives an error as one line, with the object and the offset where it has
// them, and what to do about it, empty where nothing is known.
func (p Place) Explain(err error) (line, hint string) {
	var e *stream.Error
	var b *blob.Error
	switch {
	case errors.As(err, &e) && e.Record >= 0:
		line = fmt.Sprintf("%s: record %d at decoded offset %d (stored %d): %s%v", p.Name(e.Key), e.Record, e.Decoded, e.Offset, class(e.Class), cause(e.Err))
	case errors.As(err, &e):
		line = fmt.Sprintf("%s: %sat stored offset %d (decoded %d): %v", p.Name(e.Key), strings.Replace(class(e.Class), ":", "", 1), e.Offset, e.Decoded, cause(e.Err))
	case errors.As(err, &b) && b.Key != "" && b.Offset >= 0:
		line = fmt.Sprintf("%s: %s at stored offset %d: %v", p.Name(b.Key), b.Op, b.Offset, b.Err)
	case errors.As(err, &b) && b.Key != "":
		line = fmt.Sprintf("%s: %s: %v", p.Name(b.Key), b.Op, b.Err)
	default:
		line = strings.TrimPrefix(strings.TrimPrefix(err.Error(), "stream: "), "blob: ")
	}
	return line, hintOf(err)
}

// class is the word for a class; other says nothing.
func class(c stream.Class) string {
	if c == stream.Other {
		return ""
	}
	return c.String() + ": "
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

// hintOf says what to do next.
func hintOf(err error) string {
	if errors.Is(err, ErrNothing) {
		return "nothing lies there or the pattern matches nothing; ** stands for any number of folders"
	}
	var be *blob.Error
	opening := errors.As(err, &be) && be.Op == "open"
	if opening && errors.Is(err, blob.ErrUnsupported) {
		return "no store of this program reads that; examples/thaw has every store of this module"
	}
	var limit *codec.LimitError
	if errors.As(err, &limit) && limit.What == "window" && limit.Needed > 0 {
		return fmt.Sprintf("allow more: -max-window %s -memory %s", roundUp(limit.Needed), roundUp(2*limit.Needed))
	}
	switch stream.ClassOf(err) {
	case stream.Missing:
		return "is the name right? letter case counts, and thaw ls FOLDER shows what is there"
	case stream.Denied:
		return "this user may not read it"
	case stream.Changed:
		return "it was replaced while it was read: run again"
	case stream.Truncated:
		return "the stored bytes end too early: compare the size with the original's and copy it again"
	case stream.Corrupt, stream.Checksum:
		return "the stored bytes are damaged, or -codec is wrong: check them against the original"
	case stream.Trailing:
		return "what follows the last member is no data of this codec: see what wrote it there"
	case stream.Oversized:
		return "allow more with -max-record (and -memory, of which it is an eighth at most), or is another -frame meant?"
	case stream.BadRecord:
		return "another -frame, or -on-error skip to go on without it"
	case stream.Limit:
		return "allow more with -max-window and -memory"
	case stream.Dictionary:
		return "the library takes dictionaries in ReadOptions.Dictionaries; this program does not"
	case stream.Canceled:
		return "interrupted: not everything was read"
	}
	return ""
}

// roundUp is the next power of two.
func roundUp(n int64) Size {
	s := int64(1)
	for s < n {
		s *= 2
	}
	return Size(s)
}
