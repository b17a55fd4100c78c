package blob

import (
	"fmt"
	"strings"

	"github.com/thaw-go/thaw/blob/driver"
)

// wellKnown are the packages of this module that register a scheme.
var wellKnown = map[string]string{
	"file":   "filestore",
	"mem":    "memstore",
	"s3":     "s3store",
	"gs":     "gcsstore",
	"azblob": "azurestore",
}

// opener returns the Opener of a scheme. The error names the missing import.
func opener(scheme string) (driver.Opener, error) {
	if open, ok := driver.Lookup(scheme); ok {
		return open, nil
	}
	if pkg, ok := wellKnown[scheme]; ok {
		return nil, schemeError(fmt.Sprintf("scheme %q is not registered: import _ %q", scheme, "github.com/thaw-go/thaw/blob/"+pkg))
	}
	known := " (no store is imported)"
	if all := driver.Schemes(); len(all) > 0 {
		known = fmt.Sprintf(" (known are %s)", strings.Join(all, ", "))
	}
	return nil, schemeError(fmt.Sprintf("unknown scheme %q%s: import the package that registers it", scheme, known))
}

// schemeError is an [ErrUnsupported] whose text names the scheme.
type schemeError string

func (e schemeError) Error() string { return string(e) }

func (e schemeError) Is(target error) bool { return target == ErrUnsupported }
