package azurestore_test

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/blob"
)

// environment sets the variables of an account; those not named are empty.
func environment(t *testing.T, set map[string]string) {
	t.Helper()
	for _, name := range []string{
		"ACCOUNT", "KEY", "SAS_TOKEN", "CONNECTION_STRING", "DOMAIN", "PROTOCOL", "IS_CDN", "IS_LOCAL_EMULATOR",
	} {
		t.Setenv("AZURE_STORAGE_"+name, set[name])
	}
	t.Setenv("AZURE_STORAGEBLOB_CONNECTIONSTRING", "")
}

// The parameters of gocloud.dev's azureblob open; what would send credentials to
// strangers is refused, and no error quotes any.
func TestURL(t *testing.T) {
	const key = "c2VjcmV0" + "LWtleQ=="
	withKey := map[string]string{"ACCOUNT": "acme", "KEY": key}
	for _, c := range []struct {
		url string
		env map[string]string
		bad string // empty: opened
	}{
		{"azblob://c", withKey, ""},
		{"azblob://c/2026/", withKey, ""},
		{"azblob://c?prefix=20", withKey, ""},
		{"azblob://c?cdn=true&domain=blob.core.chinacloudapi.cn", withKey, ""},
		{"azblob://c?domain=127.0.0.1:10000&localemu=true&protocol=http", withKey, ""},
		{"azblob://c?domain=[::1]:10000&localemu=true", withKey, ""},
		{"azblob://c?storage_account=other", map[string]string{"KEY": key}, ""},
		{"azblob://c", map[string]string{"ACCOUNT": "acme", "SAS_TOKEN": "sv=1&sig=" + key}, ""},
		{"azblob://c", map[string]string{"CONNECTION_STRING": "AccountName=acme;AccountKey=" + key}, ""},
		{"azblob://c?storage_account=acme", nil, ""},
		{"azblob://c", nil, "AZURE_STORAGE_ACCOUNT"},
		{"azblob://c?domain=example.org", withKey, "none of blob.core.windows.net"},
		{"azblob://c?localemu=true&domain=example.org", withKey, "not of this machine"},
		{"azblob://c?localemu=true&protocol=https&domain=localhost", withKey, "protocol=http"},
		{"azblob://c?protocol=http", withKey, "https"},
		{"azblob://c?storage_account=evil.example/x", withKey, "letters and digits"},
		{"azblob://c?cdn=perhaps", withKey, "true or false"},
		{"azblob://c?cdn=true&cdn=false", withKey, "twice"},
		{"azblob://c?region=x", withKey, "unknown parameter"},
		{"azblob:///key", withKey, "azblob://container"},
		{"azblob://c", map[string]string{"ACCOUNT": "acme", "KEY": key + "!"}, "base64"},
		{"azblob://c", map[string]string{"CONNECTION_STRING": "AccountKey=" + key}, "connection string"},
	} {
		environment(t, c.env)
		s, err := blob.Open(t.Context(), c.url, nil)
		switch {
		case c.bad == "" && err != nil:
			t.Errorf("%s with %v: got %v, want it opened", c.url, c.env, err)
		case c.bad != "" && err == nil:
			t.Errorf("%s with %v: got %s, want an error", c.url, c.env, s.Name())
		case c.bad != "" && !strings.Contains(err.Error(), c.bad):
			t.Errorf("%s with %v: got %q, want %q in it", c.url, c.env, err, c.bad)
		case err != nil && strings.Contains(err.Error(), key[:8]):
			t.Errorf("%s: got the key in %q", c.url, err)
		}
		if err == nil {
			if s.Name() != c.url {
				t.Errorf("got name %s, want %s", s.Name(), c.url)
			}
			s.Close()
		}
	}
}

// A URL reads below its folder, signed by the environment.
func TestURLReads(t *testing.T) {
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("sig") != secret {
			refuse(w, http.StatusForbidden, "AuthenticationFailed")
			return
		}
		if r.URL.Path == "/acme/c/2026/a b" {
			object(`"0x7"`, []byte(content))(w, r)
			return
		}
		refuse(w, http.StatusNotFound, "BlobNotFound")
	}))
	defer hs.Close()
	environment(t, map[string]string{"ACCOUNT": "acme", "SAS_TOKEN": "?sv=1&sig=" + secret})
	s, err := blob.Open(t.Context(), "azblob://c/2026/?localemu=true&domain="+strings.TrimPrefix(hs.URL, "http://"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := s.NewReader(t.Context(), "a b", nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if r.Close(); err != nil || string(got) != content {
		t.Errorf("got %q, %v, want %q", got, err, content)
	}
	if _, err := s.NewReader(t.Context(), "none", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want %v", err, fs.ErrNotExist)
	}
}

// An object has one name whatever way leads to its container.
func TestObjectName(t *testing.T) {
	const key = "c2VjcmV0" + "LWtleQ=="
	named := map[string]string{"ACCOUNT": "acme", "KEY": key}
	connected := map[string]string{"CONNECTION_STRING": "AccountName=acme;AccountKey=" + key}
	for _, tt := range []struct {
		url  string
		env  map[string]string
		key  string
		want string
	}{
		{"azblob://c", named, "f/a", "azblob://acme/c/f/a"},
		{"azblob://c/f/", named, "a", "azblob://acme/c/f/a"},
		{"azblob://c?prefix=f/", named, "a", "azblob://acme/c/f/a"},
		{"azblob://c", connected, "f/a", "azblob://acme/c/f/a"},
		{"azblob://c?cdn=true&domain=blob.core.chinacloudapi.cn", named, "f/a", "azblob://acme/c/f/a"},
		{"azblob://c?domain=127.0.0.1:10000&localemu=true", named, "f/a", "azblob://acme/c/f/a"},
		{"azblob://c?localemu=true&domain=localhost:10001&protocol=http", named, "f/a", "azblob://acme/c/f/a"},
		{"azblob://c", map[string]string{"CONNECTION_STRING": "BlobEndpoint=http://127.0.0.1:10000/acme;AccountName=acme;AccountKey=" + key}, "f/a", "azblob://acme/c/f/a"},
		{"azblob://c?storage_account=other", map[string]string{"KEY": key}, "f/a", "azblob://other/c/f/a"},
	} {
		environment(t, tt.env)
		s, err := blob.Open(t.Context(), tt.url, nil)
		if err != nil {
			t.Errorf("%s: %v", tt.url, err)
			continue
		}
		if got := s.ObjectName(tt.key); got != tt.want {
			t.Errorf("%s with %v: got the name %s, want %s", tt.url, tt.env, got, tt.want)
		}
		s.Close()
	}
}
