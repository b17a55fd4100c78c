// Package kept bounds what reports, manifests and plans keep of failures, in number and
// in bytes: a parser may quote a record of megabytes in its error, and so may a service.
package kept

import (
	"encoding/json"
	"slices"
)

const (
	maxEntries = 1000
	maxBytes   = 1 << 20 // of JSON
)

// List holds the first entries that there is room for: 1,000 at most, and 1 MiB in JSON.
// It is not safe for concurrent use.
type List[T any] struct {
	entries []T
	size    int  // in JSON
	full    bool // there was no room for one
}

// Add keeps entry, unless same reports that an entry is about the same: what is read
// again fails again.
func (l *List[T]) Add(entry T, same func(T) bool) {
	if l.full || slices.ContainsFunc(l.entries, same) {
		return
	}
	data, err := json.Marshal(entry)
	if err != nil || len(l.entries) >= maxEntries || l.size+len(data) > maxBytes {
		l.full = true
		return
	}
	l.entries = append(l.entries, entry)
	l.size += len(data)
}

// All returns a copy of the entries.
func (l *List[T]) All() []T { return slices.Clone(l.entries) }
