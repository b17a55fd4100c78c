package blob

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/thaw-go/thaw/blob/driver"
)

// Opener opens what a URL of its scheme names. The URL has no fragment and no
// "prefix" parameter; the path is decoded. An Opener refuses query parameters that
// it does not know, answers fs.ErrInvalid where the URL makes no sense, and never
// quotes the URL in an error: package blob names it, without credentials. ctx covers
// the opening only.
type Opener func(ctx context.Context, u *url.URL) (*Opened, error)

// Opened is a store and the place in it that a URL names.
type Opened struct {
	// Driver is the store.
	Driver driver.Driver

	// URL spells the store without Key. Nil means the URL that was opened with
	// an empty path. Credentials in it are redacted.
	URL *url.URL

	// Location names what Driver is a store of, as [Options] has it. Empty means
	// URL by scheme, host and path, without port and parameters: those say how
	// to reach it. It holds no credentials.
	Location string

	// Key is what the URL names in the store, as the service spells it: an
	// object, a folder (with or without a slash at the end) or a glob. Empty
	// means the whole store.
	Key string

	// IsObject says that Key is an object that exists. It is then not taken
	// for a glob.
	IsObject bool

	// NotFolder says why Key is no folder, where the opener knows. Nil means
	// that it may be one: services without folders leave it nil.
	NotFolder error
}

// openers are the registered schemes.
var openers = struct {
	sync.RWMutex
	byScheme map[string]Opener
}{byScheme: map[string]Opener{}}

// wellKnown are the packages of this module that register a scheme.
var wellKnown = map[string]string{
	"file":   "filestore",
	"mem":    "memstore",
	"s3":     "s3store",
	"gs":     "gcsstore",
	"azblob": "azurestore",
}

// Register makes a scheme known to [Open]; adaptors call it when they are
// imported. It panics when open is nil, the scheme is not a URL scheme in lower
// case or it is registered already.
func Register(scheme string, open Opener) {
	if open == nil || !isScheme(scheme) || scheme != strings.ToLower(scheme) {
		panic(fmt.Sprintf("blob: Register of scheme %q", scheme))
	}
	openers.Lock()
	defer openers.Unlock()
	if _, dup := openers.byScheme[scheme]; dup {
		panic(fmt.Sprintf("blob: scheme %q is registered twice", scheme))
	}
	openers.byScheme[scheme] = open
}

// opener finds the opener of a scheme. The error names the missing import.
func opener(scheme string) (Opener, error) {
	openers.RLock()
	defer openers.RUnlock()
	if open, ok := openers.byScheme[scheme]; ok {
		return open, nil
	}
	if pkg, ok := wellKnown[scheme]; ok {
		return nil, schemeError(fmt.Sprintf("scheme %q is not registered: import _ %q", scheme, "github.com/thaw-go/thaw/blob/"+pkg))
	}
	return nil, schemeError(fmt.Sprintf("unknown scheme %q%s: import the package that registers it", scheme, knownSchemes()))
}

// knownSchemes lists what is registered. The caller holds openers.
func knownSchemes() string {
	known := slices.Sorted(maps.Keys(openers.byScheme))
	if len(known) == 0 {
		return " (no store is imported)"
	}
	return fmt.Sprintf(" (known are %s)", strings.Join(known, ", "))
}

// schemeError is [ErrUnsupported] in words of its own.
type schemeError string

func (e schemeError) Error() string { return string(e) }

func (e schemeError) Is(target error) bool { return target == ErrUnsupported }

// isScheme tells whether s has the form of a URL scheme (RFC 3986, section
// 3.1). One letter is a drive, not a scheme.
func isScheme(s string) bool {
	if len(s) < 2 {
		return false
	}
	for i, c := range []byte(s) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return false
		}
	}
	return true
}
