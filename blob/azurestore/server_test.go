package azurestore_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/thaw-go/thaw/blob/azurestore"
	"github.com/thaw-go/thaw/blob/driver"
)

// server answers as a test says, and keeps the requests.
type server struct {
	mu       sync.Mutex
	requests []*http.Request
}

// serve is a container whose service is answer. Its client is as a program makes
// one, with the retries and the transport of the library.
func serve(t *testing.T, answer http.HandlerFunc) (*server, *azurestore.Driver) {
	t.Helper()
	s := &server{}
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r)
		s.mu.Unlock()
		answer(w, r)
	}))
	tr := &http.Transport{}
	t.Cleanup(func() {
		tr.CloseIdleConnections()
		hs.Close()
	})
	return s, open(t, hs.URL, tr)
}

// secret is the signature that clients sign with.
const secret = "c2VjcmV0c2lnbmF0dXJl"

// open is the container "c" behind an endpoint.
func open(t *testing.T, url string, tr http.RoundTripper) *azurestore.Driver {
	t.Helper()
	opts := &container.ClientOptions{}
	opts.Transport = &http.Client{Transport: tr}
	client, err := container.NewClientWithNoCredential(url+"/account/c?sig="+secret, opts)
	if err != nil {
		t.Fatal(err)
	}
	return azurestore.New(client, nil)
}

// seen gives the requests so far.
func (s *server) seen() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// refuse answers with a code of the service.
func refuse(w http.ResponseWriter, status int, code string) {
	if code != "" {
		w.Header().Set("x-ms-error-code", code)
	}
	w.WriteHeader(status)
}

// all reads a range whole.
func all(ctx context.Context, d *azurestore.Driver, offset, length int64, version string) (string, driver.Object, error) {
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
func calls(ctx context.Context, d *azurestore.Driver) map[string]error {
	errs := map[string]error{}
	_, errs["stat"] = d.Stat(ctx, "k")
	_, _, errs["read"] = all(ctx, d, 0, 10, "")
	for _, err := range d.List(ctx, "", "") {
		errs["list"] = err
	}
	_, errs["put"] = d.Put(ctx, "k", strings.NewReader("data"), 4, driver.Condition{Absent: true})
	errs["delete"] = d.Delete(ctx, "k")
	errs["restore"] = d.Restore(ctx, "k", driver.RestoreRequest{})
	return errs
}

// unreachable is a transport whose every connection fails.
func unreachable(err error) http.RoundTripper {
	return &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, err }}
}

// causes are all classes that a call can fail with.
var causes = []error{
	fs.ErrNotExist, fs.ErrPermission, driver.ErrChanged, driver.ErrArchived, driver.ErrTransient,
	driver.ErrConflict, driver.ErrUnsupported, context.Canceled, context.DeadlineExceeded,
}

// wantClass expects err to be of one class alone, without credentials; nil is class
// other.
func wantClass(t *testing.T, name string, err, want error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: got no error, want %v", name, want)
		return
	}
	for _, class := range causes {
		if got := errors.Is(err, class); got != (class == want) {
			t.Errorf("%s: is %q: got %t, want %t, of %v", name, class, got, class == want, err)
		}
	}
	if strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: got credentials or several lines in %q", name, err)
	}
}
