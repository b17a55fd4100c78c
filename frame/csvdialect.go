package frame

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
)

const csvPrefix = "csv:"

// csvDialect is what differs between framers of CSV.
type csvDialect struct {
	comma  byte // stands between fields
	open   bool // the object's end closes a quote
	empty  bool // empty lines are records
	header bool // the first row is no record
	ragged bool // rows are held to the first one's number of fields
	bare   bool // quotes are data
}

// csvFamily is "csv:OPTIONS", csv with options that a comma separates:
//
//	comma=HEX  the byte between fields
//	open       a quote that is never closed is closed by the end of the object,
//	           so that the last row is a record and not io.ErrUnexpectedEOF; a
//	           line end there is cut off all the same
//	unquoted   quotes are data like any other: each line is a row, as of tsv
//	empty      empty lines are records
//	header     the first row is no record: it goes to the raw bytes of the record
//	           after it, with which it is measured and left out, and to none where
//	           there is none
//	ragged=error
//	           a row is [ErrRecord] if it has another number of fields than the
//	           first; the next row is looked at as usual
var csvFamily = family{prefix: csvPrefix, arg: "OPTIONS", make: func(arg string) (Framer, error) {
	dialect := csvDialect{comma: ','}
	for option := range strings.SplitSeq(arg, ",") {
		text, isComma := strings.CutPrefix(option, "comma=")
		switch {
		case isComma:
			comma, err := hex.DecodeString(text)
			if err != nil {
				return Framer{}, errHex(text)
			}
			if len(comma) != 1 || strings.Contains("\"\r\n", string(comma)) {
				return Framer{}, fmt.Errorf("%q between fields, want one byte that is no quote or line end", comma)
			}
			dialect.comma = comma[0]
		case option == "open":
			dialect.open = true
		case option == "unquoted":
			dialect.bare = true
		case option == "empty":
			dialect.empty = true
		case option == "header":
			dialect.header = true
		case option == "ragged=error":
			dialect.ragged = true
		default:
			return Framer{}, fmt.Errorf("option %q, want comma=HEX, open, unquoted, empty, header or ragged=error", option)
		}
	}
	if dialect.bare && dialect.open {
		return Framer{}, fmt.Errorf("options open and unquoted: there is no quote to close")
	}
	return csv(csvPrefix+arg, dialect), nil
}}

// body is the record in its raw bytes: without the empty lines and the header
// before it, its line feed, and the byte order mark at offset 0.
func (d csvDialect) body(raw []byte, offset int64) []byte {
	if offset > 0 && len(raw) > 0 && raw[0] > '\r' { // nothing is before it
		return cutLineEnd(raw)
	}
	_, body := d.cut(raw, offset)
	return body
}

// cut cuts a record out of its raw bytes, and the header where it is there and no
// record.
func (d csvDialect) cut(raw []byte, offset int64) (header, body []byte) {
	if offset == 0 {
		raw = bytes.TrimPrefix(raw, bom)
	}
	raw = d.cutEmptyLines(raw)
	if offset == 0 && d.header {
		end := d.rowEnd(raw)
		header, raw = cutLineEnd(raw[:end]), d.cutEmptyLines(raw[end:])
	}
	return header, cutLineEnd(raw)
}

// rowEnd is where the row that b begins with ends, with its line feed.
func (d csvDialect) rowEnd(b []byte) int {
	if d.bare {
		return min(indexFrom(b, 0, '\n')+1, len(b))
	}
	return csvRowEnd(b, d.comma)
}

// fieldsOf is how many fields a record has.
func (d csvDialect) fieldsOf(record []byte) int {
	if d.bare {
		return bytes.Count(record, []byte{d.comma}) + 1
	}
	return csvFields(record, d.comma)
}

// cutEmptyLines cuts the empty lines at the start of raw off that are no records.
func (d csvDialect) cutEmptyLines(raw []byte) []byte {
	for !d.empty {
		switch {
		case len(raw) > 0 && raw[0] == '\n':
			raw = raw[1:]
		case len(raw) > 1 && raw[0] == '\r' && raw[1] == '\n':
			raw = raw[2:]
		default:
			return raw
		}
	}
	return raw
}
