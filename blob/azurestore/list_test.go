package azurestore_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/blob/driver"
)

// page is a page of a listing: each entry is a name and the rest of its properties.
func page(w io.Writer, next string, entries ...[2]string) {
	fmt.Fprint(w, `<?xml version="1.0" encoding="utf-8"?><EnumerationResults><Blobs>`)
	for _, e := range entries {
		fmt.Fprintf(w, `<Blob><Name>%s</Name><Properties><Content-Length>3</Content-Length><Etag>0x7</Etag>%s</Properties></Blob>`, e[0], e[1])
	}
	fmt.Fprintf(w, `</Blobs><NextMarker>%s</NextMarker></EnumerationResults>`, next)
}

func TestListDescribes(t *testing.T) {
	t.Parallel()
	_, d := serve(t, func(w http.ResponseWriter, r *http.Request) {
		page(w, "",
			[2]string{"a", "<AccessTier>Hot</AccessTier><Content-Encoding>gzip</Content-Encoding><Last-Modified>Fri, 02 Jan 2026 03:04:05 GMT</Last-Modified>"},
			[2]string{"b", "<AccessTier>Archive</AccessTier>"},
			[2]string{"c", "<AccessTier>Archive</AccessTier><ArchiveStatus>rehydrate-pending-to-cool</ArchiveStatus>"},
			[2]string{"d", "<AccessTier>Cold</AccessTier>"},
			[2]string{"e", "<ResourceType>directory</ResourceType>"})
	})
	want := []driver.Object{
		{Key: "a", StorageClass: "Hot", Archive: driver.ArchiveOnline},
		{Key: "b", StorageClass: "Archive", Archive: driver.ArchiveArchived},
		{Key: "c", StorageClass: "Archive", Archive: driver.ArchiveRestoring},
		{Key: "d", StorageClass: "Cold", Archive: driver.ArchiveOnline},
	}
	i := 0
	for obj, err := range d.List(t.Context(), "", "") {
		if err != nil || i >= len(want) {
			t.Fatalf("entry %d: got %q, %v, want %d entries", i, obj.Key, err, len(want))
		}
		w := want[i]
		if obj.Key != w.Key || obj.StorageClass != w.StorageClass || obj.Archive != w.Archive || obj.Version != "0x7" || obj.Size != 3 {
			t.Errorf("got %+v, want %+v of version 0x7 and 3 bytes", obj, w)
		}
		if obj.Key == "a" && (obj.ContentEncoding != "gzip" || obj.ModTime.Year() != 2026) {
			t.Errorf("got encoding %q and time %v, want those listed", obj.ContentEncoding, obj.ModTime)
		}
		i++
	}
	if i != len(want) {
		t.Errorf("got %d entries, want %d", i, len(want))
	}
}

// Pages follow each other; a page that fails ends the listing with its error.
func TestListFailsOnSecondPage(t *testing.T) {
	t.Parallel()
	_, d := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("marker") != "" {
			refuse(w, http.StatusServiceUnavailable, "ServerBusy")
			return
		}
		page(w, "more", [2]string{"a", ""}, [2]string{"b", ""})
	})
	var keys []string
	var last error
	for obj, err := range d.List(t.Context(), "", "a") {
		if last = err; err == nil {
			keys = append(keys, obj.Key)
		}
	}
	if strings.Join(keys, " ") != "b" {
		t.Errorf("got %q, want b", keys)
	}
	wantClass(t, "second page", last, driver.ErrTransient)
}

// Accounts with folders list by folder: a/b before a-b.
func TestListOutOfOrder(t *testing.T) {
	t.Parallel()
	for _, second := range []string{"a-b", "a/b"} {
		_, d := serve(t, func(w http.ResponseWriter, r *http.Request) {
			page(w, "", [2]string{"a/b", ""}, [2]string{second, ""})
		})
		for _, after := range []string{"", "a/b"} {
			var last error
			for _, err := range d.List(t.Context(), "", after) {
				last = err
			}
			wantClass(t, "a/b, "+second, last, driver.ErrOrder)
		}
	}
}

// A page that is not one is an error, not an end.
func TestListMalformed(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "<EnumerationResults>", "<EnumerationResults></EnumerationResults>", "<html></html>"} {
		_, d := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, body) })
		var last error
		for _, err := range d.List(t.Context(), "", "") {
			last = err
		}
		if last == nil {
			t.Errorf("%q: got an empty listing, want an error", body)
		}
	}
}
