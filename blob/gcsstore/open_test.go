package gcsstore_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/blob"
)

// The parameters of gocloud.dev's gcsblob open; others are refused.
func TestURL(t *testing.T) {
	t.Setenv("STORAGE_EMULATOR_HOST", "emulator.test:1")
	for _, c := range []struct {
		url, name string // empty: refused
	}{
		{"gs://b", "gs://b"},
		{"gs://b/2026/", "gs://b/2026/"},
		{"gs://b?prefix=20", "gs://b?prefix=20"},
		{"gs://b?anonymous=true", "gs://b?anonymous=true"},
		{"gs://b?access_id=-", "gs://b?access_id=-"},
		{"gs://b?access_id=me&private_key_path=/tmp/secret.pem", "gs://b?access_id=me&private_key_path=xxxxx"},
		{"gs://b?universe_domain=example.org", "gs://b?universe_domain=example.org"},
		{"gs://b?zonal=true&grpc=false", ""},
		{"gs://b?anonymous=perhaps", ""},
		{"gs://b?anonymous=true&anonymous=false", ""},
		{"gs://b?region=x", ""},
		{"gs:///key", ""},
		{"gs:b", ""},
		{"gs://me:pw@b", ""},
	} {
		s, err := blob.Open(t.Context(), c.url, nil)
		switch {
		case c.name == "" && err == nil:
			t.Errorf("%s: got %s, want an error", c.url, s.Name())
		case c.name != "" && err != nil:
			t.Errorf("%s: got %v, want it opened", c.url, err)
		case err == nil && s.Name() != c.name:
			t.Errorf("%s: got name %s, want %s", c.url, s.Name(), c.name)
		case err != nil && strings.Contains(err.Error(), "pw"):
			t.Errorf("%s: got the password in %q", c.url, err)
		}
		if err == nil {
			s.Close()
		}
	}
}

// The emulator of the environment is asked, below the prefix of the URL.
func TestURLReads(t *testing.T) {
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Errorf("got credentials %q, want none for an emulator", r.Header.Get("Authorization"))
		}
		if r.URL.Path == "/bucket/2026/a b" {
			object("7")(w, r)
			return
		}
		http.NotFound(w, r)
	}))
	defer hs.Close()
	t.Setenv("STORAGE_EMULATOR_HOST", strings.TrimPrefix(hs.URL, "http://"))
	s, err := blob.Open(t.Context(), "gs://bucket/2026/", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := s.NewReader(t.Context(), "a b", nil)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	_, err = io.Copy(&got, r)
	if r.Close(); err != nil || got.String() != content {
		t.Errorf("got %q, %v, want %q", got.String(), err, content)
	}
	if _, err := s.NewReader(t.Context(), "none", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want %v", err, fs.ErrNotExist)
	}
}

// Without credentials the error says what to do.
func TestURLWithoutCredentials(t *testing.T) {
	t.Setenv("STORAGE_EMULATOR_HOST", "")
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", fmt.Sprintf("%s/none.json", t.TempDir()))
	_, err := blob.Open(t.Context(), "gs://b", nil)
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "anonymous=true") {
		t.Errorf("got %v, want %v that names anonymous=true", err, fs.ErrPermission)
	}
	s, err := blob.Open(t.Context(), "gs://b?anonymous=true", nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
}
