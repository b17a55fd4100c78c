package stream

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// What is kept of failures is bounded in number and in bytes of JSON: a parser may
// quote a record of megabytes in its error, and so may a service.
const (
	maxFailures     = 1000
	maxFailureBytes = 1 << 20
	maxText         = 4 << 10 // of one error
)

// failures are the first that there is room for.
type failures struct {
	list []QuarantineEntry
	size int  // in JSON
	full bool // there was no room for one
}

// add keeps q, but not beside one of the same object or record: what is read again
// after a break fails again.
func (f *failures) add(q QuarantineEntry) {
	if f.full || slices.ContainsFunc(f.list, q.same) {
		return
	}
	data, err := json.Marshal(q)
	if err != nil || len(f.list) >= maxFailures || f.size+len(data) > maxFailureBytes {
		f.full = true
		return
	}
	f.list = append(f.list, q)
	f.size += len(data)
}

// same says that p is of the same object or record.
func (q QuarantineEntry) same(p QuarantineEntry) bool {
	if (q.Record == nil) != (p.Record == nil) || q.Record != nil && *q.Record != *p.Record {
		return false
	}
	return q.Key == p.Key && q.Version == p.Version
}

// all are those kept, for a reader of its own.
func (f *failures) all() []QuarantineEntry { return slices.Clone(f.list) }

// clipped is the text of an error as reports and manifests keep it: UTF-8, and at most
// maxText bytes, of which the beginning and the end are the most telling.
func clipped(text string) string {
	if len(text) <= maxText {
		if text = strings.ToValidUTF8(text, "\uFFFD"); len(text) <= maxText {
			return text
		}
	}
	const head, tail = maxText / 2, maxText / 4
	from, to := head, len(text)-tail
	for from > head-utf8.UTFMax && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text)-tail+utf8.UTFMax && !utf8.RuneStart(text[to]) {
		to++
	}
	clean := func(s string) string { return strings.ToValidUTF8(s, "?") }
	return fmt.Sprintf("%s … (%d bytes left out) … %s", clean(text[:from]), to-from, clean(text[to:]))
}
