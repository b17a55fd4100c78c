package driver

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/thaw-go/thaw/blob/internal/badurl"
)

// Opener opens what a URL of its scheme names. The URL has no fragment and no
// "prefix" parameter, and its path is decoded. An Opener refuses query parameters
// that it does not know. A URL that makes no sense is fs.ErrInvalid. No error may
// quote the URL: package blob adds it, without credentials. ctx covers the opening
// only. The caller closes the Driver if it is an [io.Closer].
type Opener func(ctx context.Context, u *url.URL) (*Opened, error)

// Opened is a Driver and the place in it that a URL names.
type Opened struct {
	// Driver is the store. It must not be nil.
	Driver Driver

	// URL names the store without Key. Nil means the URL that was opened, with an
	// empty path. Package blob removes its credentials before it shows it.
	URL *url.URL

	// Key is what the URL names in the store, as the service spells it: an
	// object, a folder (with or without a slash at the end) or a glob. Empty
	// means the whole store.
	Key string

	// IsObject reports that Key is an object that exists. It is then not taken
	// for a glob.
	IsObject bool

	// NotFolder is the reason why Key is no folder, where the Opener knows. Nil
	// means that it may be one: services without folders leave it nil.
	NotFolder error
}

// openers are the registered schemes.
var openers = struct {
	sync.RWMutex
	byScheme map[string]Opener
}{byScheme: map[string]Opener{}}

// Register makes a scheme known to blob.Open. Adaptors call it from an init
// function. Register panics if open is nil, if scheme is not a URL scheme in lower
// case, or if it is registered already.
func Register(scheme string, open Opener) {
	if open == nil || !badurl.IsScheme(scheme) || scheme != strings.ToLower(scheme) {
		panic(fmt.Sprintf("driver: Register of scheme %q", scheme))
	}
	openers.Lock()
	defer openers.Unlock()
	if _, dup := openers.byScheme[scheme]; dup {
		panic(fmt.Sprintf("driver: scheme %q is registered twice", scheme))
	}
	openers.byScheme[scheme] = open
}

// Lookup returns the Opener of a scheme, and whether there is one.
func Lookup(scheme string) (Opener, bool) {
	openers.RLock()
	defer openers.RUnlock()
	open, ok := openers.byScheme[scheme]
	return open, ok
}

// Schemes returns the registered schemes in order.
func Schemes() []string {
	openers.RLock()
	defer openers.RUnlock()
	return slices.Sorted(maps.Keys(openers.byScheme))
}
