package azurestore

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/thaw-go/thaw/blob/internal/httpstore"
)

// missing returns an error for a key that no object can have. The service turns a
// backslash into a slash, so that the call would be on another object; an empty key is
// the container itself.
func missing(key string) error {
	if key == "" {
		return fs.ErrNotExist
	}
	if strings.Contains(key, `\`) {
		return fmt.Errorf("the service has no backslash in keys: %w", fs.ErrNotExist)
	}
	return nil
}

// plainPrefix returns the beginning of a prefix that the service accepts: no key holds a
// control character.
func plainPrefix(prefix string) string {
	prefix = httpstore.Valid(prefix)
	if i := strings.IndexFunc(prefix, func(r rune) bool { return r < ' ' || r == 0x7f }); i >= 0 {
		return prefix[:i]
	}
	return prefix
}
