package httpstore_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/internal/httpstore"
)

var errOdd = errors.New("odd")

func none(error) (string, error) { return "", nil }

func TestClassify(t *testing.T) {
	t.Parallel()
	get := func(err error) error {
		return &url.Error{Op: "Get", URL: "https://h/?sig=secret", Err: err}
	}
	certificate := &tls.CertificateVerificationError{Err: errOdd}
	for _, c := range []struct {
		err  error
		want error // nil: other
	}{
		{get(&net.DNSError{IsNotFound: true}), driver.ErrTransient},
		{get(&net.OpError{Op: "dial", Err: errOdd}), driver.ErrTransient},
		{get(syscall.ECONNRESET), driver.ErrTransient},
		{get(io.EOF), driver.ErrTransient},
		{get(errors.New("http: server closed idle connection")), driver.ErrTransient},
		{get(context.DeadlineExceeded), driver.ErrTransient}, // the client's own time limit
		{get(certificate), nil},
		{syscall.EIO, nil},
		{errOdd, nil},
		{fs.ErrPermission, fs.ErrPermission},
		{driver.ErrChanged, driver.ErrChanged},
	} {
		err := httpstore.Classify(t.Context(), c.err, none)
		for _, class := range []error{driver.ErrTransient, driver.ErrChanged, fs.ErrPermission, fs.ErrNotExist, context.DeadlineExceeded} {
			if got := errors.Is(err, class); got != (class == c.want) {
				t.Errorf("%v: is %q: got %t, want %t", c.err, class, got, class == c.want)
			}
		}
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("got a signature in %q", err)
		}
	}
	if err := httpstore.Classify(t.Context(), nil, none); err != nil {
		t.Errorf("got %v of no error, want none", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := httpstore.Classify(ended, get(syscall.ECONNRESET), none); !errors.Is(err, context.Canceled) || errors.Is(err, driver.ErrTransient) {
		t.Errorf("got %v after the end of the context, want %v alone", err, context.Canceled)
	}
}

func TestDue(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		served         httpstore.Served
		offset, length int64
		want           int64 // -1: transient
	}{
		{httpstore.Served{From: 0, Count: 20, Size: 20}, 0, -1, 20},
		{httpstore.Served{From: 0, Count: 20, Size: 20}, 0, 5, 5},
		{httpstore.Served{From: 0, Count: -1, Size: 20}, 0, 30, 20},
		{httpstore.Served{From: 5, Count: 5, Size: 20}, 5, 5, 5},
		{httpstore.Served{From: 5, Count: 15, Size: 20}, 5, 100, 15},
		{httpstore.Served{From: 5, Count: 4, Size: 20}, 5, 5, -1},
		{httpstore.Served{From: 4, Count: 5, Size: 20}, 5, 5, -1},
		{httpstore.Served{From: 0, Count: 20, Size: 20}, 5, 5, -1},
		{httpstore.Served{From: 0, Count: 0, Size: 0}, 0, 10, 0},
	} {
		got, err := c.served.Due(c.offset, c.length)
		if c.want < 0 != errors.Is(err, driver.ErrTransient) || c.want >= 0 && got != c.want {
			t.Errorf("%+v for %d from %d: got %d, %v, want %d", c.served, c.length, c.offset, got, err, c.want)
		}
	}
}

func TestContentRange(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]httpstore.Served{
		"bytes 0-0/1":                     {From: 0, Count: 1, Size: 1},
		"bytes 5-9/20":                    {From: 5, Count: 5, Size: 20},
		" Bytes  5-9/20 ":                 {From: 5, Count: 5, Size: 20},
		"":                                {},
		"bytes */20":                      {},
		"bytes 5-9/*":                     {},
		"bytes 5-20/20":                   {},
		"bytes 9-5/20":                    {},
		"bytes -1-5/20":                   {},
		"lines 5-9/20":                    {},
		"bytes 5-9":                       {},
		"bytes 5/20":                      {},
		"bytes 99999999999999999999-9/20": {},
	} {
		got, err := httpstore.ContentRange(header)
		if got != want || (want == httpstore.Served{}) != errors.Is(err, driver.ErrTransient) {
			t.Errorf("%q: got %+v, %v, want %+v", header, got, err, want)
		}
	}
}

func TestBody(t *testing.T) {
	t.Parallel()
	class := func(err error) error { return fmt.Errorf("%w: %w", driver.ErrTransient, err) }
	for _, c := range []struct {
		why  string
		src  io.Reader
		due  int64
		want string
		err  error
	}{
		{"all of it", strings.NewReader("0123456789"), 10, "0123456789", nil},
		{"more than due", strings.NewReader("0123456789"), 4, "0123", nil},
		{"nothing due", strings.NewReader("0123456789"), 0, "", nil},
		{"less than due", strings.NewReader("0123"), 10, "0123", io.ErrUnexpectedEOF},
		{"less, as the transport says it", io.MultiReader(strings.NewReader("0123"), iotest.ErrReader(io.ErrUnexpectedEOF)), 10, "0123", io.ErrUnexpectedEOF},
		{"broken", io.MultiReader(strings.NewReader("0123"), iotest.ErrReader(errOdd)), 10, "0123", driver.ErrTransient},
		{"broken behind the end", io.MultiReader(strings.NewReader("0123"), iotest.ErrReader(errOdd)), 4, "0123", nil},
	} {
		for name, wrap := range map[string]func(io.Reader) io.Reader{"": same, "by bytes": iotest.OneByteReader, "early errors": iotest.DataErrReader} {
			if name != "" && c.err != nil {
				continue // the source is spent
			}
			if s, ok := c.src.(io.Seeker); ok {
				s.Seek(0, io.SeekStart)
			}
			b := httpstore.NewBody(t.Context(), io.NopCloser(wrap(c.src)), c.due, class)
			got, err := io.ReadAll(b)
			if string(got) != c.want || !errors.Is(err, c.err) {
				t.Errorf("%s %s: got %q, %v, want %q, %v", c.why, name, got, err, c.want, c.err)
			}
			if n, again := b.Read(make([]byte, 1)); n != 0 || c.err != nil && !errors.Is(again, c.err) || c.err == nil && again != io.EOF {
				t.Errorf("%s %s: then got %d bytes, %v, want the same end", c.why, name, n, again)
			}
			if _, ok := c.src.(io.Seeker); !ok {
				break
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	b := httpstore.NewBody(ctx, io.NopCloser(strings.NewReader("0123")), 4, class)
	cancel()
	if _, err := b.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v after the end of the context, want %v", err, context.Canceled)
	}
}

func same(r io.Reader) io.Reader { return r }

func TestOrdered(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		listed, prefix, after string
		want                  string
		disorder              bool
	}{
		{"a b c", "", "", "a b c", false},
		{"a b c", "", "b", "c", false},
		{"a b c", "", "bb", "c", false},
		{"a b/1 b/2 c", "b/", "", "b/1 b/2", false},
		{"a b/1 b/2 c", "b/", "b/1", "b/2", false},
		{"a c b", "", "", "a c", true},
		{"a c b", "", "z", "", true},
		{"a a", "", "", "a", true},
		{"", "", "", "", false},
	} {
		var got []string
		var failed error
		for obj, err := range httpstore.Ordered(t.Context(), objects(c.listed), c.prefix, c.after) {
			if failed = err; err == nil {
				got = append(got, obj.Key)
			}
		}
		if want := strings.Fields(c.want); !slices.Equal(got, want) || (failed != nil) != c.disorder {
			t.Errorf("%q below %q after %q: got %q, %v, want %q, disorder %t", c.listed, c.prefix, c.after, got, failed, want, c.disorder)
		}
	}
}

// objects yields what is listed, keys between spaces.
func objects(listed string) iter.Seq2[driver.Object, error] {
	return func(yield func(driver.Object, error) bool) {
		for key := range strings.FieldsSeq(listed) {
			if !yield(driver.Object{Key: key}, nil) {
				return
			}
		}
	}
}

func TestValid(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"": "", "abc": "abc", "caf\u00e9": "caf\u00e9", "caf\xc3": "caf", "\xff": "", "a\ufffdb": "a\ufffdb", "a\ufffd\xff": "a\ufffd",
	} {
		if got := httpstore.Valid(s); got != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]error{
		http.StatusForbidden: fs.ErrPermission, http.StatusNotFound: fs.ErrNotExist, http.StatusServiceUnavailable: driver.ErrTransient,
		http.StatusNotImplemented: driver.ErrUnsupported, http.StatusBadRequest: nil, http.StatusPreconditionFailed: nil,
	} {
		if got := httpstore.Status(code); got != want {
			t.Errorf("%d: got %v, want %v", code, got, want)
		}
	}
}

// A name that does not exist is told from a name service that fails.
func TestNoHost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  *net.DNSError
		want bool
	}{
		{&net.DNSError{IsNotFound: true}, true},
		{&net.DNSError{IsTimeout: true}, false},
		{&net.DNSError{IsTemporary: true}, false},
	} {
		got := httpstore.Network(&net.OpError{Op: "dial", Err: c.err})
		if errors.Is(got, driver.ErrNoHost) != c.want || !errors.Is(got, driver.ErrTransient) {
			t.Errorf("%+v: got %v, want no host: %t", c.err, got, c.want)
		}
	}
}
