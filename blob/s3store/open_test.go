package s3store_test

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/thaw-go/thaw/blob"
)

// recorder is a server that answers every request in one way and keeps them.
type recorder struct {
	*httptest.Server
	mu       sync.Mutex
	requests []*http.Request
}

func record(t *testing.T, answer http.HandlerFunc) *recorder {
	r := &recorder{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.mu.Lock()
		r.requests = append(r.requests, q)
		r.mu.Unlock()
		answer(w, q)
	}))
	t.Cleanup(r.Close)
	return r
}

// last is the request that came last.
func (r *recorder) last(t *testing.T) *http.Request {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.requests) == 0 {
		t.Fatal("no request came")
	}
	return r.requests[len(r.requests)-1]
}

func missing(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }

// setEnvironment gives the SDK credentials and takes away what else it would find.
func setEnvironment(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIDTEST")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "s3cr3t")
	t.Setenv("AWS_REGION", "")
	t.Setenv("AWS_DEFAULT_REGION", "")
	t.Setenv("AWS_PROFILE", "")
	t.Setenv("AWS_CONFIG_FILE", t.TempDir()+"/none")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", t.TempDir()+"/none")
}

func TestURLParameters(t *testing.T) {
	setEnvironment(t)
	r := record(t, missing)
	name := strings.Replace(r.URL, "127.0.0.1", "localhost", 1) // of an address the SDK never makes hosts of buckets
	for _, c := range []struct {
		name, url  string
		host, path string
		auth       string // what the Authorization header says
	}{
		{"region", "s3://bucket?region=eu-north-1&use_path_style=true&endpoint=" + r.URL, r.Listener.Addr().String(), "/bucket/k", "/eu-north-1/s3/"},
		{"no region", "s3://bucket?use_path_style=true&endpoint=" + r.URL, r.Listener.Addr().String(), "/bucket/k", "/us-east-1/s3/"},
		{"old name of the path style", "s3://bucket?region=x&s3ForcePathStyle=true&endpoint=" + r.URL, r.Listener.Addr().String(), "/bucket/k", "/x/s3/"},
		{"immutable host", "s3://bucket?region=x&hostname_immutable=true&endpoint=" + name, strings.TrimPrefix(name, "http://"), "/bucket/k", "/x/s3/"},
		{"anonymous", "s3://bucket?region=x&anonymous=true&use_path_style=true&endpoint=" + r.URL, r.Listener.Addr().String(), "/bucket/k", ""},
		{"prefix and folder", "s3://bucket/a%20b/?prefix=c&region=x&use_path_style=true&endpoint=" + r.URL, r.Listener.Addr().String(), "/bucket/ca%20b/k", "/x/s3/"},
		{"checksums and the rest", "s3://bucket?region=x&use_path_style=true&dualstack=false&fips=false&rate_limiter_capacity=10&ssetype=aws:kms&kmskeyid=k&request_checksum_calculation=when_supported&response_checksum_validation=when_supported&accelerate=false&disable_https=false&awssdk=v2&endpoint=" + r.URL, r.Listener.Addr().String(), "/bucket/k", "/x/s3/"},
	} {
		t.Run(c.name, func(t *testing.T) {
			store, err := blob.Open(t.Context(), c.url, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			if _, err := store.Stat(t.Context(), "k"); err == nil {
				t.Error("got no error, want a missing object")
			} else if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("got %v, want %v", err, fs.ErrNotExist)
			}
			r.mu.Lock()
			q := r.requests[0]
			r.requests = nil
			r.mu.Unlock()
			if q.Host != c.host || q.URL.EscapedPath() != c.path {
				t.Errorf("got %s%s, want %s%s", q.Host, q.URL.EscapedPath(), c.host, c.path)
			}
			auth := q.Header.Get("Authorization")
			if !strings.Contains(auth, c.auth) || (auth == "") != (c.auth == "") {
				t.Errorf("got authorization %q, want one with %q", auth, c.auth)
			}
		})
	}
}

func TestMalformedURLs(t *testing.T) {
	setEnvironment(t)
	for url, says := range map[string]string{
		"s3://bucket":                              "no region: add ?region=",
		"s3://bucket?region=x&nonsense=1":          `unknown query parameter "nonsense"`,
		"s3://bucket?region=x&region=y":            `"region" is given twice`,
		"s3://bucket?region=x&use_path_style=oui":  "use_path_style",
		"s3://bucket?region=x&ssetype=rot13":       `unknown encryption "rot13"`,
		"s3://bucket:80?region=x":                  "form s3://bucket/key",
		"s3:///key?region=x":                       "form s3://bucket/key",
		"s3://AKIATEST:hunter2@bucket/k?region=x":  "no credentials",
		"s3://bucket?region=x&profile=nonesuch":    "nonesuch",
		"s3://bucket?region=x&anonymous=perhaps":   "anonymous",
		"s3://bucket?region=x&role=admin":          "role",
		"s3://bucket?region=x&request_payer=owner": "request_payer is requester",
		"s3://bucket?endpoint=localhost:9000":      "http:// or https:// is missing",
		"s3://bucket?endpoint=minio.lan":           "http:// or https:// is missing",
		"s3://bucket?endpoint=127.0.0.1:9000":      "http:// or https:// is missing",
		"s3://bucket?endpoint=ftp://minio.lan":     "https://host",
		"s3://bucket?endpoint=http://":             "https://host",
		"s3://bucket?region=x&token=hunter2&sig=1": "unknown query parameter",
	} {
		_, err := blob.Open(t.Context(), url, nil)
		if !errors.Is(err, fs.ErrInvalid) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v, want one that says %q", url, err, says)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the error holds a secret: %v", url, err)
		}
	}
}

// Without credentials the error says so, soon, and is no missing object.
func TestNoCredentials(t *testing.T) {
	setEnvironment(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	store, err := blob.Open(t.Context(), "s3://bucket?region=x&use_path_style=true&endpoint=http://127.0.0.1:1", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, err := store.Stat(t.Context(), "k"); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "no credentials") {
		t.Errorf("got %v, want %v", err, fs.ErrPermission)
	}
}

// The SDK says nothing on stderr when the machine's metadata service refuses: the
// error says all.
func TestSilentSDK(t *testing.T) {
	setEnvironment(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "")
	refused := record(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	t.Setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", refused.URL)
	said, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	stderr := os.Stderr
	os.Stderr = said
	defer func() { os.Stderr = stderr }()
	store, err := blob.Open(t.Context(), "s3://bucket?region=x&use_path_style=true&endpoint=http://127.0.0.1:1", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, err := store.Stat(t.Context(), "k"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v, want %v", err, fs.ErrPermission)
	}
	refused.last(t)
	if text, err := os.ReadFile(said.Name()); err != nil || len(text) > 0 {
		t.Errorf("got %q, %v on stderr, want nothing", text, err)
	}
}

// Keys go out as they are, escaped once.
func TestKeysAreNative(t *testing.T) {
	t.Parallel()
	r := record(t, missing)
	d := bucket(r.URL)
	for key, path := range map[string]string{
		"a b+c%20d":     "/bucket/a%20b%2Bc%2520d",
		"../x/./y//z":   "/bucket/../x/./y//z",
		"/lead":         "/bucket//lead",
		"tab\tnl\nend":  "/bucket/tab%09nl%0Aend",
		"é?#&;=:@!$'()": "/bucket/%C3%A9%3F%23%26%3B%3D%3A%40%21%24%27%28%29",
		"folder/":       "/bucket/folder/",
	} {
		if _, err := d.Stat(t.Context(), key); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: got %v, want %v", key, err, fs.ErrNotExist)
		}
		r.mu.Lock()
		if got := r.requests[0].RequestURI; got != path {
			t.Errorf("%q: got %s, want %s", key, got, path)
		}
		r.requests = nil
		r.mu.Unlock()
	}
}

// Bytes come as stored through a client of the program, too.
func TestStoredBytes(t *testing.T) {
	t.Parallel()
	r := record(t, func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Range", "bytes 0-3/4")
		w.Header().Set("ETag", `"v"`)
		w.WriteHeader(http.StatusPartialContent)
		io.WriteString(w, "\x1f\x8b\x08\x00")
	})
	rng, err := bucket(r.URL).ReadRange(t.Context(), "k", 0, -1, "v")
	if err != nil {
		t.Fatal(err)
	}
	defer rng.Body.Close()
	data, err := io.ReadAll(rng.Body)
	if string(data) != "\x1f\x8b\x08\x00" || err != nil || rng.Object.ContentEncoding != "gzip" {
		t.Errorf("got %q, encoding %q, %v, want the four bytes", data, rng.Object.ContentEncoding, err)
	}
	h := r.last(t).Header
	if h.Get("Accept-Encoding") != "identity" || h.Get("If-Match") != `"v"` || h.Get("Range") != "bytes=0-" || h.Get("X-Amz-Checksum-Mode") != "" {
		t.Errorf("got headers %v, want identity, the version, the range and no checksum", h)
	}
}

func TestMissingBucketIsNamed(t *testing.T) {
	t.Parallel()
	r := record(t, missing)
	if _, err := bucket(r.URL).Stat(t.Context(), "k"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), `bucket "bucket" does not exist`) {
		t.Errorf("got %v, want the bucket named", err)
	}
}

// What is missing may be something else than the object.
func TestOtherNotFound(t *testing.T) {
	t.Parallel()
	r := record(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, "<Error><Code>NoSuchUser</Code><Message>No such user</Message></Error>")
	})
	if _, err := bucket(r.URL).ReadRange(t.Context(), "k", 0, -1, ""); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want an error that is not %v", err, fs.ErrNotExist)
	}
}

func TestOtherRegionIsNamed(t *testing.T) {
	t.Parallel()
	r := record(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Amz-Bucket-Region", "eu-south-2")
		w.WriteHeader(http.StatusMovedPermanently)
	})
	if _, err := bucket(r.URL).Stat(t.Context(), "k"); err == nil || !strings.Contains(err.Error(), "region eu-south-2") {
		t.Errorf("got %v, want the region named", err)
	}
}

// A store that a URL opened leaves no connection behind.
func TestCloseEndsConnections(t *testing.T) {
	setEnvironment(t)
	closed := make(chan struct{}, 4)
	server := httptest.NewUnstartedServer(http.HandlerFunc(missing))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateClosed {
			closed <- struct{}{}
		}
	}
	server.Start()
	defer server.Close()
	store, err := blob.Open(t.Context(), "s3://bucket?use_path_style=true&endpoint="+server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Stat(t.Context(), "k"); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("got %v, want %v", err, fs.ErrNotExist)
	}
	select {
	case <-closed:
		t.Fatal("the connection was not kept for the next request")
	default:
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	<-closed
}

// An object has one name whatever way leads to its bucket, and a Store one name
// whatever the order of parameters.
func TestObjectName(t *testing.T) {
	setEnvironment(t)
	for _, tt := range []struct{ url, key, name string }{
		{"s3://logs?region=eu-west-1", "2026/a.gz", "s3://logs?region=eu-west-1"},
		{"s3://logs?region=us-east-1", "2026/a.gz", "s3://logs?region=us-east-1"},
		{"s3://logs/2026/?region=eu-west-1", "a.gz", "s3://logs/2026/?region=eu-west-1"},
		{"s3://logs?prefix=2026/&region=eu-west-1", "a.gz", "s3://logs?region=eu-west-1&prefix=2026/"},
		{"s3://logs?endpoint=http://localhost:9000&region=x&use_path_style=true", "2026/a.gz", "s3://logs?endpoint=http://localhost:9000&region=x&use_path_style=true"},
		{"s3://logs?use_path_style=true&region=x&endpoint=http://localhost:9000", "2026/a.gz", "s3://logs?endpoint=http://localhost:9000&region=x&use_path_style=true"},
		{"s3://logs?endpoint=http://minio:9001&use_path_style=true", "2026/a.gz", "s3://logs?endpoint=http://minio:9001&use_path_style=true"},
	} {
		s, err := blob.Open(t.Context(), tt.url, nil)
		if err != nil {
			t.Errorf("%s: %v", tt.url, err)
			continue
		}
		if got, want := s.ObjectName(tt.key), "s3://logs/2026/a.gz"; got != want || s.Name() != tt.name {
			t.Errorf("%s: got the object %s of %s, want %s of %s", tt.url, got, s.Name(), want, tt.name)
		}
		s.Close()
	}
}
