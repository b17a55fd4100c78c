package sinks

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"

	"github.com/thaw-go/thaw/stream"
)

// LineOptions says what the line of a record is. Nil means the zero value.
type LineOptions struct {
	// Check refuses every record that is not one JSON value. Otherwise a record
	// that fits on a line is not looked into.
	Check bool

	// Wrap makes each line an object with the record in base64, so that records of
	// any bytes fit on a line and nothing is refused:
	//
	//	{"key":"logs/a.gz","index":7,"data":"AAEC"}
	//
	// key is the key of the object, or key_base64 if that is not UTF-8, and index
	// is Record.Index. Check is ignored.
	Wrap bool
}

// The causes of refused records.
var (
	errLine = errors.New("sinks: the record holds a line end and is not JSON")
	errJSON = errors.New("sinks: the record is not JSON")
)

// mostKept is the largest buffer that a lane keeps for its next batch.
const mostKept = 1 << 20

// lines makes the lines of one lane's batches.
type lines struct {
	opts LineOptions
	buf  bytes.Buffer
	head []byte // of a wrapped line, up to its index
	key  string // of head
}

func newLines(opts *LineOptions) *lines {
	l := &lines{}
	if opts != nil {
		l.opts = *opts
	}
	return l
}

// of returns the lines of b, valid until the next call. Where a record fails its object,
// they are those before it, and the error is what Write has to return.
func (l *lines) of(b *stream.Batch) ([]byte, error) {
	if l.buf.Cap() > mostKept {
		l.buf = bytes.Buffer{}
	}
	l.buf.Reset()
	for i := range b.Len() {
		rec := b.Record(i)
		if l.opts.Wrap {
			l.wrap(rec, b.Object().Key)
		} else if err := l.add(rec.Data); err != nil {
			if err := b.Refuse(i, err); err != nil {
				return l.buf.Bytes(), err
			}
			continue
		}
		l.buf.WriteByte('\n')
	}
	return l.buf.Bytes(), nil
}

// add writes data, or nothing and why.
func (l *lines) add(data []byte) error {
	fits := bytes.IndexByte(data, '\n') < 0 && !bytes.HasSuffix(data, []byte("\r"))
	switch {
	case fits && !(l.opts.Check && !json.Valid(data)):
		l.buf.Write(data)
	case fits:
		return errJSON
	default:
		n := l.buf.Len()
		if err := json.Compact(&l.buf, data); err != nil {
			l.buf.Truncate(n)
			return errLine
		}
	}
	return nil
}

// wrap writes the object that holds rec.
func (l *lines) wrap(rec stream.Record, key string) {
	if l.head == nil || key != l.key {
		l.head, l.key = wrapHead(key), key
	}
	line := append(l.buf.AvailableBuffer(), l.head...)
	line = strconv.AppendInt(line, rec.Index, 10)
	line = append(line, `,"data":"`...)
	line = base64.StdEncoding.AppendEncode(line, rec.Data)
	l.buf.Write(append(line, `"}`...))
}

// wrapHead is the begin of a wrapped line, up to the index.
func wrapHead(key string) []byte {
	name, value := "key", any(key)
	if !utf8.ValidString(key) {
		name, value = "key_base64", []byte(key)
	}
	data, err := json.Marshal(value)
	if err != nil {
		panic(err) // neither a string nor bytes fail
	}
	return []byte(`{"` + name + `":` + string(data) + `,"index":`)
}
