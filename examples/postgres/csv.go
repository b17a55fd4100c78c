package main

import (
	"errors"
	"fmt"

	"github.com/thaw-go/thaw/frame"
)

// csvFields returns the fields of a row.
func csvFields(record []byte) (fields []string, err error) {
	for _, f := range frame.AppendCSVFields(nil, record, ',') {
		s, err := text(f)
		if err != nil {
			return nil, err
		}
		fields = append(fields, s)
	}
	return fields, nil
}

// csvRow makes the values of a row under a header. A field that is missing in the header, or
// empty, is NULL.
func csvRow(cols []column, header []string, record []byte) ([]any, error) {
	if header == nil {
		return nil, errors.New("the header was left out")
	}
	fields := frame.AppendCSVFields(nil, record, ',')
	if len(fields) != len(header) {
		return nil, fmt.Errorf("%d fields, and %d in the header", len(fields), len(header))
	}
	texts := make(map[string][]byte, len(fields))
	for i, f := range fields {
		if len(f) > 0 {
			texts[header[i]] = f
		}
	}
	values := make([]any, len(cols))
	for i := range cols {
		var err error
		if values[i], err = cols[i].value(texts[cols[i].name]); err != nil {
			return nil, err
		}
	}
	return values, nil
}
