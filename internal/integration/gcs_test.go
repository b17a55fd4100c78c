package integration_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"sync/atomic"
	"testing"

	"cloud.google.com/go/storage"
	"google.golang.org/api/option"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver/drivertest"
	"github.com/thaw-go/thaw/blob/gcsstore"
)

// gcsLacks is what the service, or fake-gcs-server in its place, cannot do.
var gcsLacks = map[drivertest.Ability]string{
	drivertest.AnyBytes: "the service refuses keys that are not UTF-8",
	drivertest.OddKeys:  "the service or the server in its place refuses some of them",
	drivertest.Rights:   "the emulator has no authorisation; the tests of gcsstore show 401 and 403",
}

// gcsServer is a running emulator.
type gcsServer struct {
	addr    string
	client  *storage.Client
	buckets atomic.Int64
}

func startGCS(t *testing.T) *gcsServer {
	t.Helper()
	program := buildTool(t, "github.com/fsouza/fake-gcs-server")
	addr := freeAddress(t)
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	start(t, "http://"+addr+"/_internal/healthcheck", program,
		"-scheme", "http", "-host", host, "-port", port, "-public-host", addr, "-backend", "memory", "-log-level", "error")
	s := &gcsServer{addr: addr}
	s.client, err = storage.NewClient(t.Context(), option.WithEndpoint("http://"+addr+"/storage/v1/"), option.WithoutAuthentication())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.client.Close() })
	return s
}

// bucket makes an empty bucket.
func (s *gcsServer) bucket(t *testing.T) *storage.BucketHandle {
	t.Helper()
	b := s.client.Bucket(fmt.Sprintf("bucket-%d", s.buckets.Add(1)))
	if err := b.Create(t.Context(), "project", nil); err != nil {
		t.Fatal(err)
	}
	return b
}

// harness is an empty bucket for package drivertest.
func (s *gcsServer) harness(t *testing.T) drivertest.Harness {
	b := s.bucket(t)
	return drivertest.Harness{
		Driver: gcsstore.New(b, nil),
		Lacks:  gcsLacks,
		PutEncoded: func(key string, data []byte, encoding string) error {
			return putEncoded(t, b, key, data, encoding)
		},
	}
}

func putEncoded(t *testing.T, b *storage.BucketHandle, key string, data []byte, encoding string) error {
	w := b.Object(key).NewWriter(t.Context())
	w.ContentEncoding = encoding
	if _, err := w.Write(data); err != nil {
		return err
	}
	return w.Close()
}

func TestGCS(t *testing.T) {
	s := startGCS(t)
	t.Setenv("STORAGE_EMULATOR_HOST", s.addr)
	t.Run("conformance", func(t *testing.T) {
		drivertest.Run(t, s.harness)
	})
	b := s.bucket(t)
	store := openStore(t, "gs://"+b.BucketName())
	testJobs(t, store)
	t.Run("encoded", func(t *testing.T) {
		if err := putEncoded(t, b, "encoded", compress(t, []byte("one\ntwo\n")), "gzip"); err != nil {
			t.Fatal(err)
		}
		wantDecoded(t, store, "encoded")
	})
	t.Run("no such bucket", func(t *testing.T) {
		wantMissing(t, openStore(t, "gs://no-such-bucket"))
	})
}

// openStore opens a URL until the test ends.
func openStore(t *testing.T, url string) *blob.Store {
	t.Helper()
	store, err := blob.Open(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// wantMissing expects a listing and a read of a store that is not there to say so.
func wantMissing(t *testing.T, store *blob.Store) {
	t.Helper()
	_, readErr := store.NewReader(t.Context(), "k", nil)
	var listErr error
	for _, err := range store.List(nil).Objects(t.Context(), blob.Mark{}) {
		listErr = err
	}
	if !errors.Is(readErr, fs.ErrNotExist) || !errors.Is(listErr, fs.ErrNotExist) {
		t.Errorf("got %v of a read, %v of a listing, want %v", readErr, listErr, fs.ErrNotExist)
	}
}
