package gcsstore_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"cloud.google.com/go/storage"
	"google.golang.org/api/option"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/gcsstore"
)

// server answers as a test says, and counts the requests.
type server struct {
	mu       sync.Mutex
	requests []*http.Request
}

// serve is a bucket whose service is answer.
func serve(t *testing.T, answer http.HandlerFunc) (*server, *gcsstore.Driver) {
	t.Helper()
	s := &server{}
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r)
		s.mu.Unlock()
		answer(w, r)
	}))
	tr := &http.Transport{DisableCompression: true}
	t.Cleanup(func() {
		tr.CloseIdleConnections()
		hs.Close()
	})
	return s, bucket(t, hs.URL, tr)
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

// seen gives the requests so far.
func (s *server) seen() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// isRead tells a ranged read, which goes over the XML API, from the JSON calls.
func isRead(r *http.Request) bool {
	return !strings.HasPrefix(r.URL.Path, "/storage/v1/") && r.Method == http.MethodGet
}

// all reads a range whole.
func all(ctx context.Context, d *gcsstore.Driver, offset, length int64, version string) (string, driver.Object, error) {
	rng, err := d.ReadRange(ctx, "k", offset, length, version)
	if err != nil {
		return "", driver.Object{}, err
	}
	data, err := io.ReadAll(rng.Body)
	if cerr := rng.Body.Close(); err == nil {
		err = cerr
	}
	return string(data), rng.Object, err
}

// calls are all calls of a driver, each failing or not as its service does.
func calls(ctx context.Context, d *gcsstore.Driver) map[string]error {
	errs := map[string]error{}
	_, errs["stat"] = d.Stat(ctx, "k")
	_, _, errs["read"] = all(ctx, d, 0, 10, "")
	for _, err := range d.List(ctx, "", "") {
		errs["list"] = err
	}
	_, errs["put"] = d.Put(ctx, "k", strings.NewReader("data"), 4, driver.Condition{Absent: true})
	errs["delete"] = d.Delete(ctx, "k")
	return errs
}

// unreachable is a transport whose every connection fails.
func unreachable(err error) http.RoundTripper {
	return &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, err }}
}
