package azurestore_test

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

func TestAnswersHaveClasses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		code   string
		want   error
	}{
		{404, "BlobNotFound", fs.ErrNotExist},
		{404, "ContainerNotFound", fs.ErrNotExist},
		{404, "", fs.ErrNotExist},
		{409, "ContainerBeingDeleted", fs.ErrNotExist},
		{401, "NoAuthenticationInformation", fs.ErrPermission},
		{403, "AuthenticationFailed", fs.ErrPermission},
		{403, "AuthorizationPermissionMismatch", fs.ErrPermission},
		{409, "PublicAccessNotPermitted", fs.ErrPermission},
		{409, "BlobArchived", driver.ErrArchived},
		{409, "BlobBeingRehydrated", driver.ErrArchived},
		{408, "", driver.ErrTransient},
		{429, "", driver.ErrTransient},
		{500, "InternalError", driver.ErrTransient},
		{500, "OperationTimedOut", driver.ErrTransient},
		{503, "ServerBusy", driver.ErrTransient},
		{400, "InvalidUri", nil},
		{409, "LeaseAlreadyPresent", nil},
	} {
		s, d := serve(t, func(w http.ResponseWriter, r *http.Request) { refuse(w, c.status, c.code) })
		errs := httpstoretest.Calls(t.Context(), d)
		for call, err := range errs {
			wantClass(t, fmt.Sprintf("%d %s for %s", c.status, c.code, call), err, c.want)
		}
		if got := len(s.Seen()); got != len(errs) {
			t.Errorf("%d %s: got %d requests for %d calls, want no repetition", c.status, c.code, got, len(errs))
		}
	}
}

// The message of a refused signature holds what was to be signed.
func TestMessagesAreLeftOut(t *testing.T) {
	t.Parallel()
	_, d := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		refuse(w, 403, "AuthenticationFailed")
		fmt.Fprintf(w, "<Error><Code>AuthenticationFailed</Code><Message>string to sign: %s</Message></Error>", secret)
	})
	for call, err := range httpstoretest.Calls(t.Context(), d) {
		wantClass(t, call, err, fs.ErrPermission)
		if !strings.Contains(err.Error(), "403 AuthenticationFailed") {
			t.Errorf("%s: got %q, want status and code in it", call, err)
		}
	}
}

// A condition that does not hold means two things.
func TestPrecondition(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		code   string
		cond   driver.Condition
	}{
		{412, "ConditionNotMet", driver.Condition{Version: "1"}},
		{409, "BlobAlreadyExists", driver.Condition{Absent: true}},
		{404, "BlobNotFound", driver.Condition{Version: "1"}},
		{400, "InvalidBlockList", driver.Condition{}},
	} {
		_, d := serve(t, func(w http.ResponseWriter, r *http.Request) { refuse(w, c.status, c.code) })
		_, err := d.Put(t.Context(), "k", strings.NewReader(""), 0, c.cond)
		if !errors.Is(err, driver.ErrConflict) {
			t.Errorf("%d %s for put: got %v, want %v", c.status, c.code, err, driver.ErrConflict)
		}
		if c.status != 412 {
			continue
		}
		_, _, err = httpstoretest.Read(t.Context(), d, 0, 1, "1")
		wantClass(t, "read", err, driver.ErrChanged)
	}
}

// A name that does not resolve is not a missing object.
func TestNetworkIsTransient(t *testing.T) {
	t.Parallel()
	for _, c := range []error{
		&net.DNSError{Err: "no such host", Name: "account.blob.core.windows.net", IsNotFound: true},
		&net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED},
		syscall.ECONNRESET,
	} {
		for call, err := range httpstoretest.Calls(t.Context(), open(t, "http://account.test", httpstoretest.Unreachable(c))) {
			wantClass(t, fmt.Sprintf("%v for %s", c, call), err, driver.ErrTransient)
			if !errors.Is(err, c) {
				t.Errorf("%s: got %v, want the cause %v in it", call, err, c)
			}
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
	wantClass(t, "read", err, context.Canceled)
}

// Keys that the service would take for others reach it never.
func TestKeysThatCannotBe(t *testing.T) {
	t.Parallel()
	s, d := serve(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusOK) })
	for _, key := range []string{"", `a\b`} {
		_, err := d.Stat(t.Context(), key)
		wantClass(t, "stat", err, fs.ErrNotExist)
		_, err = d.ReadRange(t.Context(), key, 0, 1, "")
		wantClass(t, "read", err, fs.ErrNotExist)
		wantClass(t, "delete", d.Delete(t.Context(), key, ""), fs.ErrNotExist)
		if _, err = d.Put(t.Context(), key, strings.NewReader(""), 0, driver.Condition{}); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("put of %q: got %v, want %v", key, err, fs.ErrInvalid)
		}
	}
	if n := len(s.Seen()); n != 0 {
		t.Errorf("got %d requests, want none", n)
	}
}
