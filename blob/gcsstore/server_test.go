package gcsstore_test

import (
	"net/http"
	"strings"
	"testing"

	"cloud.google.com/go/storage"
	"google.golang.org/api/option"

	"github.com/thaw-go/thaw/blob/gcsstore"
	"github.com/thaw-go/thaw/blob/internal/httpstore/httpstoretest"
)

// serve is a bucket whose service is answer.
func serve(t *testing.T, answer http.HandlerFunc) (*httpstoretest.Server, *gcsstore.Driver) {
	t.Helper()
	s := httpstoretest.Serve(t, answer)
	s.Transport.DisableCompression = true
	return s, bucket(t, s.URL, s.Transport)
}

// bucket is the bucket "b" behind an endpoint.
func bucket(t *testing.T, url string, tr http.RoundTripper) *gcsstore.Driver {
	t.Helper()
	client, err := storage.NewClient(t.Context(), option.WithEndpoint(url+"/storage/v1/"),
		option.WithoutAuthentication(), option.WithHTTPClient(&http.Client{Transport: tr}))
	if err != nil {
		t.Fatal(err)
	}
	return gcsstore.New(client.Bucket("b"), nil)
}

// isRead tells a ranged read, which goes over the XML API, from the JSON calls.
func isRead(r *http.Request) bool {
	return !strings.HasPrefix(r.URL.Path, "/storage/v1/") && r.Method == http.MethodGet
}
