package azurestore_test

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

// object serves data as one version.
func object(tag string, data []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if tag != "" {
			w.Header().Set("ETag", tag)
		}
		if span := r.Header.Get("x-ms-range"); span != "" {
			r.Header.Set("Range", span)
		}
		r.Header.Del("If-Match") // as a server that ignores it
		http.ServeContent(w, r, "k.bin", time.Time{}, bytes.NewReader(data))
	}
}

func TestReadSendsPrecondition(t *testing.T) {
	t.Parallel()
	var got string
	_, d := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Get("If-Match") + " " + r.Header.Get("x-ms-range")
		object(`"0x7"`, []byte(content))(w, r)
	})
	data, obj, err := httpstoretest.Read(t.Context(), d, 3, 4, "0x7")
	if err != nil || data != content[3:7] || obj.Version != "0x7" || obj.Size != int64(len(content)) {
		t.Fatalf("got %q of %+v, %v, want %q of version 0x7", data, obj, err, content[3:7])
	}
	if want := `"0x7" bytes=3-6`; got != want {
		t.Errorf("got condition and range %s, want %s", got, want)
	}
}

// A service that ignores the condition is caught by what its response carries.
func TestReadComparesVersion(t *testing.T) {
	t.Parallel()
	_, d := serve(t, object(`"0x8"`, []byte(content)))
	for _, offset := range []int64{0, 5, int64(len(content)), 100} {
		_, _, err := httpstoretest.Read(t.Context(), d, offset, 4, "0x7")
		wantClass(t, fmt.Sprintf("offset %d", offset), err, driver.ErrChanged)
	}
	_, d = serve(t, object("", []byte(content)))
	_, _, err := httpstoretest.Read(t.Context(), d, 0, 4, "0x7")
	wantClass(t, "no ETag", err, driver.ErrUnsupported)
}

func TestReadOtherRange(t *testing.T) {
	t.Parallel()
	httpstoretest.ReadRanges(t, append([]httpstoretest.Range{
		{Why: "size unknown, from the start", Length: 5, Status: 206, ContentRange: "bytes 0-4/*", Body: content[:5]},
		{Why: "no Content-Range, from the start", Length: 5, Status: 206, Body: content[:5]},
	}, httpstoretest.Ranges...), func(answer http.HandlerFunc) driver.Driver {
		_, d := serve(t, answer)
		return d
	}, func(h http.Header) { h.Set("ETag", `"0x7"`) })
}

// The service refuses the start of an empty object, and a range behind the end; one
// within the object is asked for again.
func TestReadRefused(t *testing.T) {
	t.Parallel()
	size := 0
	_, d := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			refuse(w, http.StatusRequestedRangeNotSatisfiable, "InvalidRange")
			return
		}
		object(`"0x7"`, []byte(content[:size]))(w, r)
	})
	got, obj, err := httpstoretest.Read(t.Context(), d, 0, 10, "0x7")
	if err != nil || got != "" || obj.Size != 0 {
		t.Errorf("empty object: got %q of %d bytes, %v, want nothing of 0", got, obj.Size, err)
	}
	size = 20
	got, obj, err = httpstoretest.Read(t.Context(), d, 20, 10, "0x7")
	if err != nil || got != "" || obj.Size != 20 {
		t.Errorf("at the end: got %q of %d bytes, %v, want nothing of 20", got, obj.Size, err)
	}
	_, _, err = httpstoretest.Read(t.Context(), d, 10, 10, "0x7")
	wantClass(t, "within", err, driver.ErrTransient)
	_, _, err = httpstoretest.Read(t.Context(), d, 20, 10, "0x6")
	wantClass(t, "another version", err, driver.ErrChanged)
}

// A body that breaks is the caller's to resume.
func TestReadBroken(t *testing.T) {
	t.Parallel()
	s, d := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"0x7"`)
		w.Header().Set("Content-Length", "20")
		io.WriteString(w, content[:12])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	got, _, err := httpstoretest.Read(t.Context(), d, 0, -1, "")
	if got != content[:12] || !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, driver.ErrTransient) {
		t.Errorf("got %q, %v, want %q, then transient or %v", got, err, content[:12], io.ErrUnexpectedEOF)
	}
	if n := len(s.Seen()); n != 1 {
		t.Errorf("got %d requests, want 1", n)
	}
}

// An object of Content-Encoding gzip is read as stored, by a transport too that
// would decompress it.
func TestReadStoredGzip(t *testing.T) {
	t.Parallel()
	var stored bytes.Buffer
	z := gzip.NewWriter(&stored)
	io.WriteString(z, strings.Repeat(content, 100))
	z.Close()
	_, d := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		object(`"0x7"`, stored.Bytes())(w, r)
	})
	got, obj, err := httpstoretest.Read(t.Context(), d, 0, -1, "")
	if err != nil || got != stored.String() || obj.ContentEncoding != "gzip" {
		t.Errorf("got %d bytes of encoding %q, %v, want the %d stored ones", len(got), obj.ContentEncoding, err, stored.Len())
	}
	if got, _, err = httpstoretest.Read(t.Context(), d, 10, 5, ""); err != nil || got != stored.String()[10:15] {
		t.Errorf("got %q, %v, want %q", got, err, stored.String()[10:15])
	}
}
