package httpstore

import (
	"strings"
	"sync/atomic"
)

// ETags are those of one service. The zero value is ready for use, and is safe for
// concurrent use.
//
// A service, or a proxy before it, may state weak ETags, W/"…". One never matches
// If-Match (RFC 9110, section 13.1.1), and its listings may state the same text
// without the mark. So a version is the bare text, and the condition is left out
// once an answer was seen to be weak: the version that a response states is compared
// instead.
type ETags struct{ weak, strong atomic.Bool }

// Version is the version that an ETag of a response about one object stands for.
func (t *ETags) Version(etag string) string {
	version, weak := bare(etag)
	switch {
	case weak:
		t.weak.Store(true)
	case version != "":
		t.strong.Store(true)
	}
	return version
}

// Listed is the version that an ETag of a listing stands for. It does not tell what
// responses state.
func (t *ETags) Listed(etag string) string {
	version, _ := bare(etag)
	return version
}

// Match is the If-Match header that holds a response to a version. It is empty where
// any will do, and where the service would refuse the right one.
func (t *ETags) Match(version string) string {
	if version == "" || t.weak.Load() {
		return ""
	}
	return `"` + version + `"`
}

// Weak reports whether an answer had a weak ETag.
func (t *ETags) Weak() bool { return t.weak.Load() }

// Unknown reports whether no answer has had an ETag yet: a refused condition may mean
// that they are weak.
func (t *ETags) Unknown() bool { return !t.weak.Load() && !t.strong.Load() }

// bare is an ETag without quotes, which some listings lack, and without W/.
func bare(etag string) (version string, weak bool) {
	etag, weak = strings.CutPrefix(etag, "W/")
	return strings.Trim(etag, `"`), weak
}
