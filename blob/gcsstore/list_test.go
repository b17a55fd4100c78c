package gcsstore_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/internal/httpstore/httpstoretest"
)

func TestListDescribes(t *testing.T) {
	t.Parallel()
	s, d := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"items":[{"name":"a","size":"1","generation":"5","storageClass":"ARCHIVE","contentEncoding":"gzip","contentType":"t/x","updated":"2026-01-02T03:04:05.678Z"},
			{"name":"b","size":"0","generation":"6","storageClass":"STANDARD"}]}`)
	})
	var got []driver.Object
	for obj, err := range d.List(t.Context(), "", "a") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, obj)
	}
	if len(got) != 1 || got[0].Key != "b" {
		t.Errorf("got %+v, want b alone, which follows a", got)
	}
	if q := s.Seen()[0].URL.Query(); q.Get("startOffset") != "a" || q.Get("maxResults") != "1000" {
		t.Errorf("got query %v, want it to begin at a, 1,000 a page", q)
	}
	for obj, err := range d.List(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		if obj.Key == "a" && (obj.Archive != driver.ArchiveOnline || obj.Version != "5" || obj.StorageClass != "ARCHIVE" ||
			obj.ContentEncoding != "gzip" || obj.ContentType != "t/x" || obj.ModTime.Year() != 2026) {
			t.Errorf("got %+v, want what the service says, online", obj)
		}
	}
}

// A page that fails ends the listing with its error; what came before stays.
func TestListFailsOnSecondPage(t *testing.T) {
	t.Parallel()
	_, d := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("pageToken") != "" {
			http.Error(w, "", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, `{"items":[{"name":"a"}],"nextPageToken":"x"}`)
	})
	var keys int
	var last error
	for _, err := range d.List(t.Context(), "", "") {
		if last = err; err == nil {
			keys++
		}
	}
	if keys != 1 {
		t.Errorf("got %d keys, want 1", keys)
	}
	httpstoretest.WantClass(t, "second page", last, driver.ErrTransient)
}

func TestListOutOfOrder(t *testing.T) {
	t.Parallel()
	for _, second := range []string{"b", "a"} {
		_, d := serve(t, func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"items":[{"name":"b"},{"name":%q}]}`, second)
		})
		var last error
		for _, err := range d.List(t.Context(), "", "") {
			last = err
		}
		httpstoretest.WantClass(t, "b, "+second, last, driver.ErrOrder)
	}
}
