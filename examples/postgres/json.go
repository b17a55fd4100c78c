package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonRow makes the values of a record that is one JSON object. A field that is missing or
// null is NULL.
func jsonRow(cols []column, record []byte) ([]any, error) {
	if !utf8.Valid(record) {
		return nil, errors.New("JSON that is not UTF-8")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(record, &fields); err != nil {
		return nil, err
	}
	if fields == nil {
		return nil, errors.New("not a JSON object")
	}
	values := make([]any, len(cols))
	for i := range cols {
		c := &cols[i]
		text, err := jsonText(fields[c.name], c.json)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", c.name, err)
		}
		if values[i], err = c.value(text); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// jsonText returns the text of a field: of a string what it says, of others their JSON.
func jsonText(v []byte, whole bool) ([]byte, error) {
	switch {
	case len(v) == 0 || string(v) == "null":
		return nil, nil
	case whole:
		return v, nil
	case v[0] == '{' || v[0] == '[':
		return nil, errors.New("an object or an array")
	case v[0] != '"':
		return v, nil
	}
	if err := escapes(v); err != nil {
		return nil, err
	}
	var s string
	err := json.Unmarshal(v, &s)
	return []byte(s), err
}

// escapes refuses escapes of valid JSON that PostgreSQL has no character for: NUL, and
// halves of surrogate pairs.
func escapes(v []byte) error {
	for {
		i := bytes.IndexByte(v, '\\')
		if i < 0 {
			return nil
		}
		r, isRune := escaped(v[i:])
		if !isRune {
			v = v[i+2:]
			continue
		}
		v = v[i+6:]
		if utf16.IsSurrogate(r) {
			low, ok := escaped(v)
			if !ok || utf16.DecodeRune(r, low) == utf8.RuneError {
				return errors.New("half of a surrogate pair")
			}
			v = v[6:]
		}
		if r == 0 {
			return errors.New("a NUL character")
		}
	}
}

// escaped returns the rune of an escape such as \u0041 at the start of v.
func escaped(v []byte) (r rune, ok bool) {
	if len(v) < 6 || v[0] != '\\' || v[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(v[2:6]), 16, 32)
	return rune(n), err == nil
}

// The digits that a number of jsonb has before and after its point at most.
const (
	mostWhole    = 131072
	mostFraction = 16383
)

// numeric reports whether jsonb can hold a number of valid JSON.
func numeric(n string) bool {
	n = strings.TrimPrefix(n, "-")
	exponent := 0
	if i := strings.IndexAny(n, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.Atoi(n[i+1:]); err != nil || max(exponent, -exponent) > 2*mostWhole {
			return false
		}
		n = n[:i]
	}
	whole, fraction, _ := strings.Cut(n, ".")
	return len(whole)+exponent <= mostWhole && len(fraction)-exponent <= mostFraction
}
