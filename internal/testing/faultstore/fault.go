package faultstore

import (
	"fmt"
	"time"
)

// Kind is what goes wrong.
type Kind uint8

// The kinds. Those of any call strike before an answer is there; those of bodies
// at [Fault.At]; those of listings within one page.
const (
	None Kind = iota

	Slow          // any call: the answer comes after Wait; 0: never
	Drop          // any call: the connection is lost before an answer
	InternalError // any call: 500
	SlowDown      // any call: 503, asked to slow down
	ErrorDocument // any call: 200 with an error where the answer should be
	Denied        // any call: 403
	Missing       // any call: 404, though the object is there

	Reset        // body: the connection is lost after At bytes
	Cut          // body: ends after At bytes, of more that were announced
	Short        // body: ends after At bytes as if it were whole
	Stall        // body: nothing comes after At bytes for Wait; 0: never again
	WholeBody    // body: the range is ignored, a 200 with the whole object
	Shifted      // body: of a range that begins At bytes after the one asked for
	Gunzip       // body: decompressed on the way
	Replace      // body: the object is replaced when At bytes were given; the body goes on with the old ones
	ReplaceReset // body: the same, and the connection is lost

	Disorder    // listing: objects At and At+1 of the page change places
	Duplicate   // listing: object At of the page comes twice
	NoToken     // listing: a page says that more follows, not where
	BrokenPage  // listing: the page breaks off after At objects
	lastOfKinds // none
)

var kindNames = [...]string{
	"none", "slow", "drop", "internal error", "slow down", "error document", "denied", "missing",
	"reset", "cut", "short", "stall", "whole body", "shifted", "gunzip", "replace", "replace and reset",
	"disorder", "duplicate", "no token", "broken page",
}

// String names the kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", k)
}

// Kinds are all kinds of faults that o knows, in their order.
func Kinds(o Op) []Kind {
	var all []Kind
	for k := Slow; k < lastOfKinds; k++ {
		if k.of(o) {
			all = append(all, k)
		}
	}
	return all
}

// of tells whether a call of o can meet the kind.
func (k Kind) of(o Op) bool {
	switch {
	case k <= Missing:
		return true
	case k <= ReplaceReset:
		return o == Read
	}
	return o == List
}

// Fault is what befalls one call. The zero value is nothing.
type Fault struct {
	Kind Kind

	// At is where it strikes: bytes of the body given before, objects of the
	// page given before. For [Shifted] it may be negative.
	At int64

	// Wait is how long [Slow] and [Stall] take. 0 means for ever: until the
	// context ends or the body is closed.
	Wait time.Duration
}

// Op is what is asked of the store.
type Op uint8

// The calls of a driver, and the requests of the protocol that serve them.
const (
	List    Op = iota // one page of a listing
	Stat              // HEAD
	Read              // GET
	Put               // PUT
	Delete            // DELETE
	Restore           // POST ?restore
	Copy              // PUT of a copy
	Tag               // GET and PUT ?tagging
	ops     = int(Tag) + 1
)

// String names the call.
func (o Op) String() string {
	return [...]string{"list", "stat", "read", "put", "delete", "restore", "copy", "tag"}[o]
}

// Call is one request as a [Plan] sees it.
type Call struct {
	Op     Op
	N      int    // calls of this Op before, since the store was made
	Try    int    // calls before of the same Op, Key and Offset
	Key    string // of a listing, its prefix
	Offset int64  // first byte of a body; objects of a listing given before
	Length int64  // bytes due in a body; objects due in a page
}
