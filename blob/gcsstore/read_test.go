package gcsstore_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/internal/httpstore/httpstoretest"
)

const content = httpstoretest.Content

// object serves content as one generation, over the XML API and as JSON.
func object(generation string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !isRead(r) {
			fmt.Fprintf(w, `{"name":"k","size":"%d","generation":%q}`, len(content), generation)
			return
		}
		w.Header().Set("X-Goog-Generation", generation)
		http.ServeContent(w, r, "k.bin", time.Time{}, strings.NewReader(content))
	}
}

func TestReadSendsPrecondition(t *testing.T) {
	t.Parallel()
	s, d := serve(t, object("7"))
	got, obj, err := httpstoretest.Read(t.Context(), d, 3, 4, "7")
	if err != nil || got != content[3:7] || obj.Version != "7" || obj.Size != int64(len(content)) {
		t.Fatalf("got %q of %+v, %v, want %q of version 7", got, obj, err, content[3:7])
	}
	r := s.Seen()[0]
	if got := r.Header.Get("X-Goog-If-Generation-Match"); got != "7" {
		t.Errorf("got precondition %q, want 7", got)
	}
	if r.URL.RawQuery != "" {
		t.Errorf("got query %q, want none: a generation there answers 404 when it is replaced", r.URL.RawQuery)
	}
	if got := r.Header.Get("Range"); got != "bytes=3-6" {
		t.Errorf("got range %q, want bytes=3-6", got)
	}
}

// A service that ignores the precondition, as emulators do, is caught by what its
// response carries.
func TestReadComparesGeneration(t *testing.T) {
	t.Parallel()
	_, d := serve(t, object("8"))
	for _, offset := range []int64{0, 5, int64(len(content)), 100} {
		_, _, err := httpstoretest.Read(t.Context(), d, offset, 4, "7")
		httpstoretest.WantClass(t, fmt.Sprintf("offset %d", offset), err, driver.ErrChanged)
	}
	_, d = serve(t, object(""))
	_, _, err := httpstoretest.Read(t.Context(), d, 0, 4, "7")
	httpstoretest.WantClass(t, "no generation", err, driver.ErrUnsupported)
}

func TestReadOtherRange(t *testing.T) {
	t.Parallel()
	httpstoretest.ReadRanges(t, httpstoretest.Ranges, func(answer http.HandlerFunc) driver.Driver {
		_, d := serve(t, answer)
		return d
	}, func(h http.Header) { h.Set("X-Goog-Generation", "7") })
}

// A range that lies in the object and is refused is asked for again.
func TestReadRefused(t *testing.T) {
	t.Parallel()
	_, d := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if isRead(r) {
			http.Error(w, "", http.StatusRequestedRangeNotSatisfiable)
			return
		}
		object("7")(w, r)
	})
	_, _, err := httpstoretest.Read(t.Context(), d, 5, 5, "7")
	httpstoretest.WantClass(t, "within", err, driver.ErrTransient)
	got, obj, err := httpstoretest.Read(t.Context(), d, int64(len(content)), 5, "7")
	if err != nil || got != "" || obj.Size != int64(len(content)) {
		t.Errorf("got %q of %d bytes, %v, want nothing of %d", got, obj.Size, err, len(content))
	}
}

// A body that breaks is the caller's to resume. The client library would do it by
// itself, with whatever the second response brings.
func TestReadBroken(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why    string
		length string // Content-Length; empty for chunks
	}{
		{"short of its length", "20"},
		{"chunks without an end", ""},
	} {
		s, d := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Goog-Generation", "7")
			if r.Header.Get("Range") == "" {
				object("7")(w, r)
				return
			}
			w.Header().Set("Content-Range", "bytes 0-19/20")
			if c.length != "" {
				w.Header().Set("Content-Length", c.length)
			}
			w.WriteHeader(http.StatusPartialContent)
			io.WriteString(w, content[:12])
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		})
		got, _, err := httpstoretest.Read(t.Context(), d, 0, 20, "7")
		if !errors.Is(err, driver.ErrTransient) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: got %v, want transient or %v", c.why, err, io.ErrUnexpectedEOF)
		}
		if !strings.HasPrefix(content[:12], got) {
			t.Errorf("%s: got %q, want a beginning of %q", c.why, got, content[:12])
		}
		if n := len(s.Seen()); n != 1 {
			t.Errorf("%s: got %d requests, want 1", c.why, n)
		}
	}
}

// An object of Content-Encoding gzip is read as stored, ranges included.
func TestReadStoredGzip(t *testing.T) {
	t.Parallel()
	var stored bytes.Buffer
	z := gzip.NewWriter(&stored)
	io.WriteString(z, strings.Repeat(content, 100))
	z.Close()
	_, d := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Goog-Generation", "7")
		w.Header().Set("X-Goog-Stored-Content-Encoding", "gzip")
		if r.Header.Get("Accept-Encoding") != "gzip" {
			t.Errorf("got Accept-Encoding %q, want gzip", r.Header.Get("Accept-Encoding"))
		}
		w.Header().Set("Content-Encoding", "gzip")
		http.ServeContent(w, r, "k.bin", time.Time{}, bytes.NewReader(stored.Bytes()))
	})
	got, obj, err := httpstoretest.Read(t.Context(), d, 0, -1, "")
	if err != nil || got != stored.String() || obj.ContentEncoding != "gzip" {
		t.Errorf("got %d bytes of encoding %q, %v, want the %d stored ones", len(got), obj.ContentEncoding, err, stored.Len())
	}
	got, _, err = httpstoretest.Read(t.Context(), d, 10, 5, "")
	if err != nil || got != stored.String()[10:15] {
		t.Errorf("got %q, %v, want %q", got, err, stored.String()[10:15])
	}
}

// What the service decompresses is not what is stored.
func TestReadDecompressed(t *testing.T) {
	t.Parallel()
	_, d := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Goog-Generation", "7")
		w.Header().Set("X-Goog-Stored-Content-Encoding", "gzip")
		w.Header().Set("Warning", "214 UploadServer gunzipped")
		w.Header().Set("X-Guploader-Response-Body-Transformations", "gunzipped")
		io.WriteString(w, content)
	})
	_, _, err := httpstoretest.Read(t.Context(), d, 0, -1, "")
	httpstoretest.WantClass(t, "decompressed", err, driver.ErrUnsupported)
}

// A response without a length takes the size from a look-up of the same generation.
func TestReadWithoutLength(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sent string
		want error
	}{
		{content, nil},
		{content[:10], io.ErrUnexpectedEOF},
	} {
		_, d := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if !isRead(r) {
				object("7")(w, r)
				return
			}
			w.Header().Set("X-Goog-Generation", "7")
			io.WriteString(w, c.sent)
			w.(http.Flusher).Flush()
		})
		got, obj, err := httpstoretest.Read(t.Context(), d, 0, -1, "")
		if !errors.Is(err, c.want) || got != c.sent || obj.Size != int64(len(content)) {
			t.Errorf("got %q of %d bytes, %v, want %q, %v", got, obj.Size, err, c.sent, c.want)
		}
	}
}
