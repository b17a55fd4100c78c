package s3store_test

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/s3store"
)

// Every request to a bucket whose requesters pay says that they do, signed; without the
// parameter the refusal names it.
func TestRequesterPays(t *testing.T) {
	setEnvironment(t)
	r := record(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		if r.Header.Get("X-Amz-Request-Payer") != "requester" {
			w.WriteHeader(http.StatusForbidden)
			if r.Method != http.MethodHead {
				io.WriteString(w, "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>")
			}
			return
		}
		w.Header().Set("ETag", `"v"`)
		if r.URL.Query().Has("list-type") {
			io.WriteString(w, "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>")
			return
		}
		w.Header().Set("X-Amz-Storage-Class", "GLACIER")
		w.Header().Set("Content-Length", "0")
	})
	url := "s3://bucket?region=x&use_path_style=true&endpoint=" + r.URL
	paying, err := blob.Open(t.Context(), url+"&request_payer=requester", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer paying.Close()
	stranger, err := blob.Open(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	own := blob.New(s3store.New(client(r.URL), "bucket", &s3store.Options{RequesterPays: true}), nil)
	calls := map[string]func(s *blob.Store) error{
		"stat": func(s *blob.Store) error { _, err := s.Stat(t.Context(), "k"); return err },
		"read": func(s *blob.Store) error { _, err := s.NewReader(t.Context(), "k", nil); return err },
		"put": func(s *blob.Store) error {
			_, err := s.Put(t.Context(), "k", strings.NewReader("x"), 1, nil)
			return err
		},
		"delete":  func(s *blob.Store) error { return s.Delete(t.Context(), "k", nil) },
		"restore": func(s *blob.Store) error { return s.Restore(t.Context(), "k", blob.RestoreRequest{}) },
		"list": func(s *blob.Store) (last error) {
			for _, last = range s.List(nil).Objects(t.Context(), blob.Mark{}) {
			}
			return last
		},
	}
	for name, call := range calls {
		for _, s := range []*blob.Store{paying, own} {
			if err := call(s); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if signed := r.last(t).Header.Get("Authorization"); !strings.Contains(signed, "x-amz-request-payer") {
				t.Errorf("%s: got %s, want the header signed", name, signed)
			}
		}
		err := call(stranger)
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "request_payer=requester") {
			t.Errorf("%s of a stranger: got %v, want %v with the parameter", name, err, fs.ErrPermission)
		}
	}
}
