package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// column is a column of the table.
type column struct {
	name    string
	notNull bool
	json    bool // its text is JSON
	parse   func(text []byte) (any, error)
}

// types are those that a column may have, by their names in PostgreSQL. What parse returns
// shares no memory with the text, and the database always takes it: a value that it refused
// in the middle of a COPY would take all rows of the transaction with it.
var types = map[string]func(text []byte) (any, error){
	"smallint":                 func(b []byte) (any, error) { return strconv.ParseInt(string(b), 10, 16) },
	"integer":                  func(b []byte) (any, error) { return strconv.ParseInt(string(b), 10, 32) },
	"bigint":                   func(b []byte) (any, error) { return strconv.ParseInt(string(b), 10, 64) },
	"double precision":         func(b []byte) (any, error) { return double(b) },
	"boolean":                  func(b []byte) (any, error) { return boolean(b) },
	"text":                     func(b []byte) (any, error) { return text(b) },
	"timestamp with time zone": func(b []byte) (any, error) { return time.Parse(time.RFC3339Nano, string(b)) },
	jsonb:                      func(b []byte) (any, error) { return document(b) },
}

const jsonb = "jsonb"

// tableOf resolves the name of a table: two spellings of one have one position.
func tableOf(ctx context.Context, pool *pgxpool.Pool, name string) (pgx.Identifier, error) {
	table := make(pgx.Identifier, 2)
	err := pool.QueryRow(ctx, `SELECT nspname, relname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
		WHERE c.oid = $1::text::regclass`, name).Scan(&table[0], &table[1])
	return table, err
}

// columnsOf asks the database for the types of the named columns.
func columnsOf(ctx context.Context, pool *pgxpool.Pool, table pgx.Identifier, names []string) ([]column, error) {
	rows, err := pool.Query(ctx, `SELECT attname, format_type(atttypid, NULL), attnotnull FROM pg_attribute
		WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`, table.Sanitize())
	if err != nil {
		return nil, err
	}
	known := map[string]column{}
	kinds := map[string]string{}
	var c column
	var kind string
	if _, err := pgx.ForEachRow(rows, []any{&c.name, &kind, &c.notNull}, func() error {
		c.json, c.parse = kind == jsonb, types[kind]
		known[c.name], kinds[c.name] = c, kind
		return nil
	}); err != nil {
		return nil, err
	}
	var cols []column
	for _, name := range names {
		c, ok := known[name]
		switch {
		case !ok:
			return nil, fmt.Errorf("table %s has no column %q to write", table.Sanitize(), name)
		case c.parse == nil:
			return nil, fmt.Errorf("column %q is of type %s; types are %s", name, kinds[name],
				strings.Join(slices.Sorted(maps.Keys(types)), ", "))
		}
		cols = append(cols, c)
	}
	return cols, nil
}

// value makes the value of a text. Nil is NULL.
func (c *column) value(text []byte) (v any, err error) {
	switch {
	case text != nil:
		v, err = c.parse(text)
	case c.notNull:
		err = errors.New("NULL is not allowed")
	}
	if err != nil {
		return nil, fmt.Errorf("column %s: %w", c.name, err)
	}
	return v, nil
}

func boolean(b []byte) (bool, error) {
	switch string(b) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, errors.New("neither true nor false")
}

func double(b []byte) (float64, error) {
	f, err := strconv.ParseFloat(string(b), 64)
	if err == nil && (math.IsInf(f, 0) || math.IsNaN(f)) {
		err = errors.New("not a number")
	}
	return f, err
}

func text(b []byte) (string, error) {
	if !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0 {
		return "", errors.New("text that is not UTF-8, or has a NUL character")
	}
	return string(b), nil
}

// document takes JSON that jsonb can hold.
func document(b []byte) (json.RawMessage, error) {
	if !json.Valid(b) {
		return nil, errors.New("not JSON")
	}
	if !utf8.Valid(b) {
		return nil, errors.New("JSON that is not UTF-8")
	}
	if err := escapes(b); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	for {
		t, err := dec.Token()
		if err != nil {
			return bytes.Clone(b), nil // the end: b is valid
		}
		if n, ok := t.(json.Number); ok && !numeric(string(n)) {
			return nil, fmt.Errorf("number %.40q is out of range", string(n))
		}
	}
}
