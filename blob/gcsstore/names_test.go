package gcsstore_test

import (
	"net/http"
	"testing"

	"github.com/thaw-go/thaw/blob"
)

// An object has one name for good, whether a client or a URL leads to it.
func TestNames(t *testing.T) {
	s := blob.New(bucket(t, "http://storage.test", http.DefaultTransport), nil)
	if s.Name() != "gs://b" || s.ObjectName("2026/a.gz") != "gs://b/2026/a.gz" {
		t.Errorf("got %q and %q, want gs://b and a name in it", s.Name(), s.ObjectName("2026/a.gz"))
	}
	opened, err := blob.Open(t.Context(), "gs://b/2026/?anonymous=true", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	if got, want := opened.ObjectName("a.gz"), s.ObjectName("2026/a.gz"); got != want {
		t.Errorf("by URL: got %q, want %q", got, want)
	}
}
