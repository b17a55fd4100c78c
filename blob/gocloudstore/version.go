package gocloudstore

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/thaw-go/thaw/blob/driver"
)

// version is what every call states about an object.
type version struct {
	size  int64
	nanos int64 // modification time
}

func versionOf(size int64, mod time.Time) version { return version{size, mod.UnixNano()} }

// String returns "size-nanoseconds".
func (v version) String() string { return fmt.Sprintf("%d-%d", v.size, v.nanos) }

func parseVersion(s string) (v version, ok bool) {
	size, nanos, found := strings.Cut(s, "-")
	var err, err2 error
	v.size, err = strconv.ParseInt(size, 10, 64)
	v.nanos, err2 = strconv.ParseInt(nanos, 10, 64)
	return v, found && err == nil && err2 == nil
}

// same reports whether two versions may be one: some calls state the time in whole
// seconds.
func (v version) same(w version) bool {
	const second = int64(time.Second)
	if v.nanos%second == 0 || w.nanos%second == 0 {
		return v.size == w.size && v.nanos/second == w.nanos/second
	}
	return v == w
}

// served returns the version to report for a response: the one requested if it may be
// that.
func served(want string, got version) (string, error) {
	if want == "" {
		return got.String(), nil
	}
	if w, ok := parseVersion(want); !ok || !w.same(got) {
		return "", fmt.Errorf("version is %s: %w", got, driver.ErrChanged)
	}
	return want, nil
}
