package cli

import (
	"strings"

	"github.com/thaw-go/thaw/codec/seek"
)

// IsIndex reports whether a key is that of an index that the argument what does not
// name itself: it lies beside an object and is none of the data. Jobs leave indexes out by
// themselves.
func IsIndex(what, key string) bool {
	return strings.HasSuffix(key, seek.Extension) && !strings.HasSuffix(what, seek.Extension)
}
