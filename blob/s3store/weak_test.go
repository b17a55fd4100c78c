package s3store_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/simstore"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
)

// conditional is a server over a store that notes the If-Match headers it is sent.
func conditional(t *testing.T, opts *faultstore.Options) (store *faultstore.Store, url string, sent func() []string) {
	t.Helper()
	store = faultstore.New(opts)
	server, err := faultstore.Serve(store, simstore.Link{})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var matches []string
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		matches = append(matches, r.Header.Get("If-Match"))
		mu.Unlock()
		server.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { front.Close(); server.Close() })
	return store, front.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		m := matches
		matches = nil
		return m
	}
}

// A weak ETag is compared in responses alone. Listings may state it without its mark,
// so that the first condition is sent; no other one is.
func TestWeakETags(t *testing.T) {
	t.Parallel()
	data := bytes.Repeat([]byte("0123456789"), 30<<10)
	for _, first := range []string{"a pinned read", "an open read", "a look-up", "a pinned range behind the end", "a conditional write"} {
		store, url, sent := conditional(t, &faultstore.Options{WeakETags: true})
		listed := store.Add(faultstore.Item{Key: "k", Content: faultstore.Bytes(data)})
		d := bucket(url)
		s := blob.New(d, nil)
		read := func(version string) error {
			r, err := s.NewReader(t.Context(), "k", &blob.ReaderOptions{Object: &blob.Object{Version: version, Size: -1}, RangeSize: 64 << 10})
			if err != nil {
				return err
			}
			defer r.Close()
			got, err := io.ReadAll(r)
			if err == nil && !bytes.Equal(got, data) {
				t.Errorf("%s first: got %d other bytes", first, len(got))
			}
			return err
		}
		var err error
		switch first {
		case "a pinned read":
			err = read(listed)
		case "an open read":
			err = read("")
		case "a look-up":
			var obj blob.Object
			if obj, err = s.Stat(t.Context(), "k"); obj.Version != listed {
				t.Errorf("%s first: got version %q, want %q as listed", first, obj.Version, listed)
			}
		case "a pinned range behind the end":
			_, err = d.ReadRange(t.Context(), "k", int64(len(data)), -1, listed)
		case "a conditional write":
			_, err = d.Put(t.Context(), "k", strings.NewReader("x"), 1, driver.Condition{Version: listed})
			if !errors.Is(err, driver.ErrUnsupported) || errors.Is(err, driver.ErrConflict) {
				t.Errorf("%s first: got %v, want %v", first, err, driver.ErrUnsupported)
			}
			err = nil
		}
		if err != nil {
			t.Errorf("%s first: %v", first, err)
		}
		refused := 0
		for _, m := range sent() {
			if m != "" {
				refused++
			}
		}
		if refused > 1 {
			t.Errorf("%s first: got %d conditions, want one at most", first, refused)
		}
		if err := read(listed); err != nil {
			t.Errorf("%s, then a pinned read: %v", first, err)
		}
		for _, m := range sent() {
			if m != "" {
				t.Errorf("%s, then a pinned read: got If-Match %s", first, m)
			}
		}
		store.Replace("k")
		if err := read(listed); !errors.Is(err, blob.ErrChanged) {
			t.Errorf("%s, then another object: got %v, want %v", first, err, blob.ErrChanged)
		}
	}
}

// A refused condition of a service with strong ETags is believed at once, but for the
// first answer of all.
func TestStrongETagsCostNothing(t *testing.T) {
	t.Parallel()
	store, url, sent := conditional(t, nil)
	old := store.Add(faultstore.Item{Key: "k", Content: faultstore.Bytes("one")})
	d := bucket(url)
	store.Replace("k")
	for i, want := range []int{2, 1, 1} {
		if _, err := d.ReadRange(t.Context(), "k", 0, -1, old); !errors.Is(err, driver.ErrChanged) {
			t.Errorf("read %d: got %v, want %v", i, err, driver.ErrChanged)
		}
		if got := len(sent()); got != want {
			t.Errorf("read %d: got %d requests, want %d", i, got, want)
		}
	}
}
