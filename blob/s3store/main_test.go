package s3store_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/thaw-go/thaw/blob/s3store"
	"github.com/thaw-go/thaw/blob/simstore"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
)

// client reaches a server on loopback with the SDK's own transport and retries.
func client(url string) *s3.Client {
	return s3.New(s3.Options{
		Region:       "us-east-1",
		BaseEndpoint: &url,
		UsePathStyle: true,
		Credentials:  credentials.NewStaticCredentialsProvider("AKIDTEST", "s3cr3t", ""),
	})
}

// serve is a bucket of a server that fails as opts say.
func serve(t *testing.T, opts *faultstore.Options) (*faultstore.Store, *s3store.Driver) {
	t.Helper()
	store := faultstore.New(opts)
	server, err := faultstore.Serve(store, simstore.Link{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return store, s3store.New(client(server.URL), faultstore.Bucket, nil)
}

// gone is a bucket of a server that has closed.
func gone(t *testing.T, store *faultstore.Store) *s3store.Driver {
	t.Helper()
	server, err := faultstore.Serve(store, simstore.Link{})
	if err != nil {
		t.Fatal(err)
	}
	server.Close()
	return s3store.New(client(server.URL), faultstore.Bucket, nil)
}

// bucket is "bucket" of a server.
func bucket(url string) *s3store.Driver { return s3store.New(client(url), "bucket", nil) }
