package azurestore_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
)

// A directory blob is a folder, however the account marks it and whichever call meets
// it, never an empty object.
func TestDirectories(t *testing.T) {
	t.Parallel()
	for i, c := range []struct {
		name     string
		header   [2]string
		listed   string // among the properties
		metadata string
		size     int
		isFolder bool
	}{
		{"an account with folders", [2]string{"x-ms-resource-type", "directory"}, "<ResourceType>directory</ResourceType>", "", 0, true},
		{"metadata of an account without", [2]string{"x-ms-meta-hdi_isfolder", "true"}, "", "<hdi_isfolder>true</hdi_isfolder>", 0, true},
		{"metadata in another case", [2]string{"x-ms-meta-Hdi_isfolder", "True"}, "", "<Hdi_isfolder>True</Hdi_isfolder>", 0, true},
		{"metadata that say no", [2]string{"x-ms-meta-hdi_isfolder", "false"}, "", "<hdi_isfolder>false</hdi_isfolder>", 0, false},
		{"data under such metadata", [2]string{"x-ms-meta-hdi_isfolder", "true"}, "", "<hdi_isfolder>true</hdi_isfolder>", 5, false},
		{"a file of an account with folders", [2]string{"x-ms-resource-type", "file"}, "<ResourceType>file</ResourceType>", "", 0, false},
		{"an empty object", [2]string{"x-ms-meta-other", "true"}, "", "<other>true</other>", 0, false},
	} {
		objects := map[string]int{"logs": c.size, "logs/a": 3}
		_, d := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("comp") == "list" {
				fmt.Fprint(w, `<?xml version="1.0" encoding="utf-8"?><EnumerationResults><Blobs>`)
				for _, key := range []string{"logs", "logs/a"} {
					if !strings.HasPrefix(key, r.URL.Query().Get("prefix")) {
						continue
					}
					properties, metadata := "", ""
					if key == "logs" {
						properties = c.listed
						if strings.Contains(r.URL.Query().Get("include"), "metadata") {
							metadata = c.metadata
						}
					}
					fmt.Fprintf(w, "<Blob><Name>%s</Name><Properties><Content-Length>%d</Content-Length><Etag>0x7</Etag>%s</Properties><Metadata>%s</Metadata></Blob>",
						key, objects[key], properties, metadata)
				}
				fmt.Fprint(w, "</Blobs><NextMarker /></EnumerationResults>")
				return
			}
			key := strings.TrimPrefix(r.URL.Path, "/account/c/")
			size, ok := objects[key]
			if !ok {
				refuse(w, http.StatusNotFound, "BlobNotFound")
				return
			}
			if key == "logs" {
				w.Header().Set(c.header[0], c.header[1])
			}
			w.Header().Set("ETag", `"0x7"`)
			w.Header().Set("Content-Length", fmt.Sprint(size))
			if r.Method == http.MethodGet {
				w.Write(make([]byte, size))
			}
		})
		scheme := fmt.Sprintf("azdir%d", i)
		driver.Register(scheme, func(_ context.Context, u *url.URL) (*driver.Opened, error) {
			return &driver.Opened{Driver: d, Key: strings.TrimPrefix(u.Path, "/")}, nil
		})
		want := "logs"
		if c.isFolder {
			want = "a"
		}
		src, err := blob.OpenSource(t.Context(), scheme+"://c/logs", nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var got []string
		for obj, err := range src.Objects(t.Context(), blob.Mark{}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, obj.Key)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %s", c.name, got, want)
		}
		_, stat := d.Stat(t.Context(), "logs")
		_, read := d.ReadRange(t.Context(), "logs", 0, -1, "")
		for call, err := range map[string]error{"Stat": stat, "ReadRange": read} {
			if errors.Is(err, driver.ErrFolder) != c.isFolder || errors.Is(err, fs.ErrNotExist) != c.isFolder || !c.isFolder && err != nil {
				t.Errorf("%s: %s: got %v, want a folder: %t", c.name, call, err, c.isFolder)
			}
		}
		listed := 0
		for _, err := range d.List(t.Context(), "", "") {
			if err != nil {
				t.Fatal(err)
			}
			listed++
		}
		if wantListed := map[bool]int{true: 1, false: 2}[c.isFolder]; listed != wantListed {
			t.Errorf("%s: got %d objects listed, want %d", c.name, listed, wantListed)
		}
	}
}
