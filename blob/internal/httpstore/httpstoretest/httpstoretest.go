// Package httpstoretest has what the tests of the stores of cloud services share: a
// service that answers as a test wants, calls of a driver, and the cases in which a
// service answers with other bytes than those requested.
package httpstoretest

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/thaw-go/thaw/blob/driver"
)

// Server is a service that answers as a test wants and keeps the requests.
type Server struct {
	URL       string
	Transport *http.Transport // to it

	mu       sync.Mutex
	requests []*http.Request
}

// Serve starts a service, which ends with the test.
func Serve(t *testing.T, answer http.HandlerFunc) *Server {
	t.Helper()
	s := &Server{Transport: &http.Transport{}}
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r)
		s.mu.Unlock()
		answer(w, r)
	}))
	s.URL = hs.URL
	t.Cleanup(func() {
		s.Transport.CloseIdleConnections()
		hs.Close()
	})
	return s
}

// Seen returns the requests so far.
func (s *Server) Seen() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// Unreachable is a transport whose every connection fails with err.
func Unreachable(err error) http.RoundTripper {
	return &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, err }}
}

// Read reads a range of the object "k" whole.
func Read(ctx context.Context, d driver.Driver, offset, length int64, version string) (string, driver.Object, error) {
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

// Calls makes every call that a driver has on the object "k" and returns their errors.
func Calls(ctx context.Context, d driver.Driver) map[string]error {
	errs := map[string]error{}
	_, errs["stat"] = d.Stat(ctx, "k")
	_, _, errs["read"] = Read(ctx, d, 0, 10, "")
	for _, err := range d.List(ctx, "", "") {
		errs["list"] = err
	}
	_, errs["put"] = d.Put(ctx, "k", strings.NewReader("data"), 4, driver.Condition{Absent: true})
	if d, ok := d.(driver.Deleter); ok {
		errs["delete"] = d.Delete(ctx, "k", "")
	}
	if d, ok := d.(driver.Copier); ok {
		errs["copy"] = d.Copy(ctx, driver.Object{Key: "k", Size: 4}, "l")
	}
	if d, ok := d.(driver.Tagger); ok {
		errs["tag"] = d.Tag(ctx, "k", "", map[string]string{"a": "b"})
	}
	if d, ok := d.(driver.Restorer); ok {
		errs["restore"] = d.Restore(ctx, "k", driver.RestoreRequest{})
	}
	return errs
}

// causes are all classes that a call can fail with.
var causes = []error{
	fs.ErrNotExist, fs.ErrPermission, driver.ErrChanged, driver.ErrArchived, driver.ErrTransient,
	driver.ErrConflict, driver.ErrUnsupported, context.Canceled, context.DeadlineExceeded,
}

// WantClass expects err to be of the class want alone; nil is class other.
func WantClass(t *testing.T, name string, err, want error) {
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
}

// Content is the object that [Ranges] are parts of.
const Content = "0123456789abcdefghij"

// Range is a request for Length bytes of Content from Offset on, -1 for all, and a
// response to it.
type Range struct {
	Why            string
	Offset, Length int64
	Status         int
	ContentRange   string // empty: none
	Body           string
	Want           string // empty: driver.ErrTransient
}

// Ranges are responses with other bytes than those requested. Only what has the bytes
// requested, from the first on, is taken.
var Ranges = []Range{
	{"from the start instead", 5, 5, 206, "bytes 0-4/20", Content[:5], ""},
	{"from a little earlier", 5, 5, 206, "bytes 1-5/20", Content[1:6], ""},
	{"shorter than asked", 5, 5, 206, "bytes 5-7/20", Content[5:8], ""},
	{"whole for its middle", 5, 5, 200, "", Content, ""},
	{"whole for its beginning", 0, 5, 200, "", Content, Content[:5]},
	{"longer than asked", 5, 5, 206, "bytes 5-19/20", Content[5:], Content[5:10]},
	{"size unknown", 5, 5, 206, "bytes 5-9/*", Content[5:10], ""},
	{"no Content-Range", 5, 5, 206, "", Content[5:10], ""},
	{"no range at all", 0, -1, 200, "", Content, Content},
}

// ReadRanges reads the ranges from a driver that open makes of a service. set sets the
// header of a response that states the version.
func ReadRanges(t *testing.T, ranges []Range, open func(http.HandlerFunc) driver.Driver, set func(http.Header)) {
	t.Helper()
	for _, c := range ranges {
		d := open(func(w http.ResponseWriter, _ *http.Request) {
			set(w.Header())
			w.Header().Set("Content-Length", strconv.Itoa(len(c.Body)))
			if c.ContentRange != "" {
				w.Header().Set("Content-Range", c.ContentRange)
			}
			w.WriteHeader(c.Status)
			io.WriteString(w, c.Body)
		})
		got, obj, err := Read(t.Context(), d, c.Offset, c.Length, "")
		if c.Want == "" {
			WantClass(t, c.Why, err, driver.ErrTransient)
			continue
		}
		if err != nil || got != c.Want || obj.Size != int64(len(Content)) {
			t.Errorf("%s: got %q of %d bytes, %v, want %q of %d", c.Why, got, obj.Size, err, c.Want, len(Content))
		}
	}
}
