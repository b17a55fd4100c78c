package s3store_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/s3store"
)

// An object has one name for good, whether a client or a URL leads to it.
func TestNames(t *testing.T) {
	s := blob.New(s3store.New(s3.New(s3.Options{Region: "eu-west-1"}), "b", nil), nil)
	if s.Name() != "s3://b" || s.ObjectName("2026/a.gz") != "s3://b/2026/a.gz" {
		t.Errorf("got %q and %q, want s3://b and a name in it", s.Name(), s.ObjectName("2026/a.gz"))
	}
	opened, err := blob.Open(t.Context(), "s3://b/2026/?region=eu-west-1&anonymous=true", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	if got, want := opened.ObjectName("a.gz"), s.ObjectName("2026/a.gz"); got != want {
		t.Errorf("by URL: got %q, want %q", got, want)
	}
}
