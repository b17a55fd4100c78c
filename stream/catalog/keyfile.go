package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream"
)

// KeyFileOptions configures [KeyFile]. Nil means the zero value.
type KeyFileOptions struct {
	// Objects is the store of the objects that the file names. Nil means the
	// store of the file.
	Objects *blob.Store

	// Read says how the file is read. Its Frame and Pool must not be set.
	Read stream.ReadOptions
}

// KeyFile returns a Source of the objects that the file key of store names, in the
// file's order. A line is one of
//
//	2026/11/a.ndjson.gz                            a key, byte for byte
//	{"key":"{a}","size_bytes":3,"version":"e-1"}   size_bytes and version are optional
//	{"key_base64":"Y2Fm6Q=="}                      a key that is not UTF-8
//
// Empty lines are skipped. A key that begins with "{" or holds a line break must be
// written as JSON. A job reads an object that has another version than its line all the
// same, from its start, and counts it as Changed. The size counts in totals until the
// object is opened.
//
// Other fields of the JSON are ignored. So a quarantine file of stream.Quarantine is a
// list of the objects that it names. An object is left out where a line of JSON names it
// again, in the same version, after fewer than 4,096 other objects. Plain lines always
// count. [stream.Redrive] delivers only what a quarantine says is missing.
//
// ctx bounds the look-up of the file; the Source's Objects takes its own. The stores
// stay the caller's to close.
func KeyFile(ctx context.Context, store *blob.Store, key string, opts *KeyFileOptions) (blob.Source, error) {
	var o KeyFileOptions
	if opts != nil {
		o = *opts
	}
	l, err := pin(ctx, store, key, o.Read)
	if err != nil {
		return blob.Source{}, fmt.Errorf("catalog: key file: %w", err)
	}
	l.open.Object, l.open.Read.Frame = pinned(l.version), "lines"
	objects := cmp.Or(o.Objects, store)
	return blob.Source{
		Store: objects,
		Named: true,
		Name:  l.name(objects, "keys of"),
		Objects: func(ctx context.Context, mark blob.Mark) iter.Seq2[blob.Object, error] {
			return after(mark, l.lines(ctx))
		},
	}, nil
}

// lines yields the objects of a key file.
func (l *list) lines(ctx context.Context) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		var named repeats
		for rec, err := range stream.Records(ctx, l.store, l.key, &stream.RecordsOptions{Read: l.open.Read, Object: l.open.Object}) {
			if err != nil {
				yield(blob.Object{}, err)
				return
			}
			if len(rec.Data) == 0 {
				continue
			}
			obj, err := parseLine(rec.Data)
			if err != nil {
				yield(blob.Object{}, fmt.Errorf("catalog: key file %q line %d: %w", l.key, rec.Index+1, err))
				return
			}
			if rec.Data[0] == '{' && named.has(obj) {
				continue
			}
			if !yield(obj, nil) {
				return
			}
		}
	}
}

// parseLine returns the object that a line of a key file names. The line is not
// empty.
func parseLine(line []byte) (blob.Object, error) {
	if line[0] != '{' {
		return blob.Object{Key: string(line), Size: -1}, nil
	}
	l := struct {
		Key     string `json:"key"`
		Bytes   []byte `json:"key_base64"`
		Size    *int64 `json:"size_bytes"`
		Version string `json:"version"`
	}{}
	if err := json.Unmarshal(line, &l); err != nil {
		return blob.Object{}, err
	}
	if !isExact(line, l.Key, l.Version) {
		return blob.Object{}, errors.New(`text that is not UTF-8: such a key is written in base64, as "key_base64"`)
	}
	obj := blob.Object{Key: cmp.Or(l.Key, string(l.Bytes)), Size: -1, Version: l.Version}
	switch {
	case obj.Key == "":
		return blob.Object{}, errors.New(`no "key"`)
	case l.Key != "" && l.Bytes != nil:
		return blob.Object{}, errors.New(`both "key" and "key_base64"`)
	case l.Size != nil && *l.Size < 0:
		return blob.Object{}, fmt.Errorf("size_bytes %d", *l.Size)
	case l.Size != nil:
		obj.Size = *l.Size
	}
	return obj, nil
}

// isExact reports whether encoding/json has replaced nothing in data: no bytes that
// are not UTF-8, and no halves of surrogate pairs. decoded are its strings.
func isExact(data []byte, decoded ...string) bool {
	if !utf8.Valid(data) {
		return false
	}
	const replacement = string(utf8.RuneError)
	raw := strings.ToLower(string(data))
	written := strings.Count(raw, replacement) + strings.Count(raw, `\ufffd`)
	for _, s := range decoded {
		written -= strings.Count(s, replacement)
	}
	return written >= 0
}
