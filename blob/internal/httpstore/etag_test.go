package httpstore_test

import (
	"testing"

	"github.com/thaw-go/thaw/blob/internal/httpstore"
)

func TestETags(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		etag, version, match string
	}{
		{`"abc"`, "abc", `"abc"`},
		{`abc`, "abc", `"abc"`},
		{`W/"abc"`, "abc", ""},
		{``, "", ""},
		{`"abc-2"`, "abc-2", `"abc-2"`},
		{`"W/abc"`, "W/abc", `"W/abc"`},
	} {
		var tags httpstore.ETags
		listed := tags.Listed(c.etag)
		if !tags.Unknown() {
			t.Errorf("%s: a listing told what responses state", c.etag)
		}
		got := tags.Version(c.etag)
		if got != c.version || listed != c.version || tags.Match(got) != c.match {
			t.Errorf("%s: got version %q, listed %q, If-Match %s, want %q and %s", c.etag, got, listed, tags.Match(got), c.version, c.match)
		}
	}
}
