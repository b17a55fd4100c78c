package frame

import (
	"encoding/hex"
	"fmt"
	"strings"
)

const csvPrefix = "csv:"

// csvDialect is what differs between framers of CSV.
type csvDialect struct {
	comma byte // stands between fields
	open  bool // the object's end closes a quote
	empty bool // empty lines are records
}

// csvFamily is "csv:OPTIONS", csv with options that a comma separates:
//
//	comma=HEX  the byte between fields
//	open       a quote that is never closed is closed by the end of the object,
//	           so that the last row is a record and not io.ErrUnexpectedEOF; a
//	           line end there is cut off all the same
//	empty      empty lines are records
var csvFamily = family{prefix: csvPrefix, arg: "OPTIONS", make: func(arg string) (Framer, error) {
	dialect := csvDialect{comma: ','}
	for option := range strings.SplitSeq(arg, ",") {
		text, isComma := strings.CutPrefix(option, "comma=")
		switch {
		case isComma:
			comma, err := hex.DecodeString(text)
			if err != nil {
				return Framer{}, err
			}
			if len(comma) != 1 || strings.Contains("\"\r\n", string(comma)) {
				return Framer{}, fmt.Errorf("%q between fields, want one byte that is no quote or line end", comma)
			}
			dialect.comma = comma[0]
		case option == "open":
			dialect.open = true
		case option == "empty":
			dialect.empty = true
		default:
			return Framer{}, fmt.Errorf("option %q, want comma=HEX, open or empty", option)
		}
	}
	return csv(csvPrefix+arg, dialect), nil
}}
