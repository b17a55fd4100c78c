package azurestore_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/internal/httpstore/httpstoretest"
)

// A weak ETag, as proxies make them, is compared in responses alone: it would match no
// condition.
func TestWeakETags(t *testing.T) {
	t.Parallel()
	etag := `W/"0x7"`
	s, d := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", etag)
		switch {
		case r.Header.Get("If-Match") != "":
			refuse(w, http.StatusPreconditionFailed, "ConditionNotMet")
		case r.Method == http.MethodPut:
			w.WriteHeader(http.StatusCreated)
		default:
			w.Header().Set("Content-Length", "4")
			io.WriteString(w, "data")
		}
	})
	for range 2 {
		got, obj, err := httpstoretest.Read(t.Context(), d, 0, -1, "0x7")
		if err != nil || got != "data" || obj.Version != "0x7" {
			t.Errorf("got %q of version %q, %v, want the data of 0x7", got, obj.Version, err)
		}
	}
	_, err := d.Put(t.Context(), "k", strings.NewReader("x"), 1, driver.Condition{Version: "0x7"})
	if !errors.Is(err, driver.ErrUnsupported) || errors.Is(err, driver.ErrConflict) {
		t.Errorf("put: got %v, want %v", err, driver.ErrUnsupported)
	}
	etag = `W/"0x8"`
	if _, _, err := httpstoretest.Read(t.Context(), d, 0, -1, "0x7"); !errors.Is(err, driver.ErrChanged) {
		t.Errorf("another version: got %v, want %v", err, driver.ErrChanged)
	}
	conditions := 0
	for _, r := range s.Seen() {
		if r.Header.Get("If-Match") != "" {
			conditions++
		}
	}
	if conditions != 1 {
		t.Errorf("got %d conditions, want the first alone", conditions)
	}
}
