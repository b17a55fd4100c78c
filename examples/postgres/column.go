package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// column is a column of the table, and how a JSON value becomes one of it.
type column struct {
	name  string
	parse func(json.RawMessage) (any, error)
}

// types are those that a column may have. What parse returns is always taken by the
// database: a value that it would refuse in the middle of a COPY would take all rows of the
// transaction with it.
var types = map[string]func(json.RawMessage) (any, error){
	"bigint":      func(v json.RawMessage) (any, error) { return into[int64](v) },
	"boolean":     func(v json.RawMessage) (any, error) { return into[bool](v) },
	"text":        func(v json.RawMessage) (any, error) { return text(v) },
	"timestamptz": func(v json.RawMessage) (any, error) { return timestamp(v) },
	"jsonb":       func(v json.RawMessage) (any, error) { return document(v) },
	"double": func(v json.RawMessage) (any, error) {
		f, err := into[float64](v)
		if err == nil && math.IsInf(f, 0) {
			err = errors.New("out of range")
		}
		return f, err
	},
}

// parseColumns reads a list such as "id:bigint,name:text".
func parseColumns(list string) (cols []column, err error) {
	if list == "" {
		return nil, errors.New("-columns lists the columns, such as id:bigint,name:text")
	}
	for _, item := range strings.Split(list, ",") {
		name, kind, _ := strings.Cut(item, ":")
		parse, ok := types[kind]
		if name == "" || !ok {
			var known []string
			for kind := range types {
				known = append(known, kind)
			}
			slices.Sort(known)
			return nil, fmt.Errorf("-columns: %q is no NAME:TYPE; types are %s", item, strings.Join(known, ", "))
		}
		cols = append(cols, column{name, parse})
	}
	return cols, nil
}

// row makes the values of a record. A field that is missing or null is NULL.
func row(cols []column, record []byte) ([]any, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(record, &fields); err != nil {
		return nil, err
	}
	if fields == nil {
		return nil, errors.New("not a JSON object")
	}
	values := make([]any, len(cols))
	for i, c := range cols {
		v, ok := fields[c.name]
		if !ok || string(v) == "null" {
			continue
		}
		var err error
		if values[i], err = c.parse(v); err != nil {
			return nil, fmt.Errorf("column %s: %w", c.name, err)
		}
	}
	return values, nil
}

func into[T any](v json.RawMessage) (t T, err error) {
	err = json.Unmarshal(v, &t)
	return t, err
}

func text(v json.RawMessage) (string, error) {
	s, err := into[string](v)
	if err == nil && strings.ContainsRune(s, 0) {
		err = errors.New("text with a NUL character")
	}
	return s, err
}

// timestamp takes years that PostgreSQL and RFC 3339 have.
func timestamp(v json.RawMessage) (time.Time, error) {
	s, err := into[string](v)
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339Nano, s)
}

// document takes JSON that jsonb can hold: UTF-8, without NUL characters, and with numbers
// that have a size.
func document(v json.RawMessage) (json.RawMessage, error) {
	switch {
	case !utf8.Valid(v):
		return nil, errors.New("JSON that is not UTF-8")
	case bytes.Contains(v, []byte(`\u`)):
		if err := escapes(v); err != nil {
			return nil, err
		}
	}
	dec := json.NewDecoder(bytes.NewReader(v))
	dec.UseNumber()
	for {
		t, err := dec.Token()
		if err != nil {
			break // the end: v is valid
		}
		if n, ok := t.(json.Number); ok {
			if f, err := n.Float64(); err != nil || math.IsInf(f, 0) {
				return nil, fmt.Errorf("number %.40q is out of range", string(n))
			}
		}
	}
	return slices.Clone(v), nil
}

// escapes refuses NUL characters and halves of surrogate pairs.
func escapes(v json.RawMessage) error {
	var any any
	if err := json.Unmarshal(v, &any); err != nil {
		return err
	}
	plain, err := json.Marshal(any)
	if err != nil {
		return err
	}
	if bytes.Contains(plain, []byte(`\u0000`)) || bytes.ContainsRune(plain, utf8.RuneError) {
		return errors.New("JSON with a character that jsonb cannot hold")
	}
	return nil
}
