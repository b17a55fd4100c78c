package gcsstore_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/blob"
)

// Every request to a bucket whose requesters pay names the project that does; without
// the parameter the refusal names it.
func TestUserProject(t *testing.T) {
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		project := r.URL.Query().Get("userProject") + r.Header.Get("X-Goog-User-Project")
		switch {
		case !strings.Contains(project, "acme") && isRead(r):
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, "<Error><Code>UserProjectMissing</Code><Message>no project</Message></Error>")
		case !strings.Contains(project, "acme"):
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, `{"error":{"code":400,"message":"no project","errors":[{"reason":"required","message":"no project"}]}}`)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer hs.Close()
	t.Setenv("STORAGE_EMULATOR_HOST", hs.URL)
	for project, want := range map[string]bool{"?user_project=acme": true, "": false} {
		s, err := blob.Open(t.Context(), "gs://b"+project, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		_, stat := s.Stat(t.Context(), "k")
		_, read := s.NewReader(t.Context(), "k", nil)
		var list error
		for _, list = range s.List(nil).Objects(t.Context(), blob.Mark{}) {
		}
		for call, err := range map[string]error{"stat": stat, "read": read, "list": list} {
			if err == nil || errors.Is(err, blob.ErrTransient) || strings.Contains(err.Error(), "user_project=ID") == want {
				t.Errorf("%q: %s: got %v, want a hint: %t", project, call, err, !want)
			}
		}
	}
}
