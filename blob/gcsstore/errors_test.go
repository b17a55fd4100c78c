package gcsstore_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/internal/httpstore/httpstoretest"
)

const (
	xmlDenied  = `<?xml version='1.0' encoding='UTF-8'?><Error><Code>AccessDenied</Code><Message>Access denied.</Message></Error>`
	jsonDenied = `{"error":{"code":403,"message":"someone does not have storage.objects.get access","errors":[{"reason":"forbidden"}]}}`
	jsonRate   = `{"error":{"code":403,"message":"too fast","errors":[{"reason":"rateLimitExceeded"}]}}`
)

func TestAnswersHaveClasses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		body   string
		want   error
		why    string
	}{
		{401, "", fs.ErrPermission, "an expired token"},
		{403, xmlDenied, fs.ErrPermission, "the XML API"},
		{403, jsonDenied, fs.ErrPermission, "the JSON API"},
		{403, jsonRate, driver.ErrTransient, "a rate exceeded comes as 403 too"},
		{404, "", fs.ErrNotExist, "no such object or bucket"},
		{408, "", driver.ErrTransient, "the service waited too long"},
		{429, "", driver.ErrTransient, "too many requests"},
		{500, "", driver.ErrTransient, "internal error"},
		{501, "", driver.ErrUnsupported, "an emulator that cannot"},
		{502, "", driver.ErrTransient, "a proxy"},
		{503, "", driver.ErrTransient, "slow down"},
		{400, "", nil, "a request that no other attempt makes better"},
	} {
		s, d := serve(t, func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, c.body, c.status)
		})
		errs := httpstoretest.Calls(t.Context(), d)
		for call, err := range errs {
			if c.body == jsonRate && call == "read" {
				continue // the XML API has no such answer
			}
			httpstoretest.WantClass(t, fmt.Sprintf("%d (%s) for %s", c.status, c.why, call), err, c.want)
			if strings.Contains(err.Error(), "http://") {
				t.Errorf("got a URL in %q", err)
			}
		}
		if got := len(s.Seen()); got != len(errs) {
			t.Errorf("%d (%s): got %d requests for %d calls, want no repetition", c.status, c.why, got, len(errs))
		}
	}
}

// A precondition that does not hold means two things.
func TestPrecondition(t *testing.T) {
	t.Parallel()
	_, d := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "", http.StatusPreconditionFailed)
	})
	errs := httpstoretest.Calls(t.Context(), d)
	httpstoretest.WantClass(t, "read", errs["read"], driver.ErrChanged)
	httpstoretest.WantClass(t, "put", errs["put"], driver.ErrConflict)
	_, err := d.Put(t.Context(), "k", strings.NewReader(""), 0, driver.Condition{Version: "no number"})
	httpstoretest.WantClass(t, "put if a version that was never served", err, driver.ErrConflict)
	_, _, err = httpstoretest.Read(t.Context(), d, 0, 1, "no number")
	httpstoretest.WantClass(t, "read of a version that was never served", err, driver.ErrChanged)
}

func TestNetworkIsTransient(t *testing.T) {
	t.Parallel()
	for _, c := range []error{
		&net.DNSError{Err: "no such host", Name: "storage.googleapis.com", IsNotFound: true},
		&net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED},
		syscall.ECONNRESET,
	} {
		for call, err := range httpstoretest.Calls(t.Context(), bucket(t, "http://storage.test", httpstoretest.Unreachable(c))) {
			httpstoretest.WantClass(t, fmt.Sprintf("%v for %s", c, call), err, driver.ErrTransient)
			if !errors.Is(err, c) {
				t.Errorf("%s: got %v, want the cause %v in it", call, err, c)
			}
		}
	}
}

// A connection that closes without an answer is no end of data.
func TestNoAnswerIsTransient(t *testing.T) {
	t.Parallel()
	_, d := serve(t, func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })
	for call, err := range httpstoretest.Calls(t.Context(), d) {
		if !errors.Is(err, driver.ErrTransient) {
			t.Errorf("%s: got %v, want %v", call, err, driver.ErrTransient)
		}
	}
}

func TestEndOfContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	_, d := serve(t, func(w http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	_, _, err := httpstoretest.Read(ctx, d, 0, -1, "")
	httpstoretest.WantClass(t, "read", err, context.Canceled)
}
