package integration_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver/drivertest"
	"github.com/thaw-go/thaw/blob/s3store"
)

const (
	accessKey = "integration"
	secretKey = "integration-secret"
	s3Region  = "us-east-1"
)

// s3Lacks is what versitygw refuses, since its objects are files of a folder. The
// conformance of package s3store over the fault store shows these cases.
var s3Lacks = map[drivertest.Ability]string{
	drivertest.KeyAndFolder: "a file and a folder cannot have one name: 409 ObjectParentIsFile",
	drivertest.Markers:      "a folder holds no data: 400 DirectoryObjectContainsData",
	drivertest.AnyElement:   "dotted path elements are refused: 400",
	drivertest.OddKeys:      "the service or the server in its place refuses some of them",
	drivertest.AnyBytes:     "keys of S3 are UTF-8",
}

// s3Server is a running server.
type s3Server struct {
	endpoint string
	client   *s3.Client
	buckets  atomic.Int64
}

func startS3(t *testing.T) *s3Server {
	program := buildTool(t, "github.com/versity/versitygw/cmd/versitygw")
	addr := freeAddress(t)
	start(t, "http://"+addr+"/health", program,
		"--access", accessKey, "--secret", secretKey, "--region", s3Region,
		"--port", addr, "--health", "/health", "--quiet",
		"posix", "--sidecar", t.TempDir(), t.TempDir())
	s := &s3Server{endpoint: "http://" + addr}
	s.client = s3.New(s3.Options{
		Region:       s3Region,
		BaseEndpoint: &s.endpoint,
		UsePathStyle: true,
		Credentials:  credentials.NewStaticCredentialsProvider(accessKey, secretKey, ""),
	})
	return s
}

// bucket makes an empty bucket.
func (s *s3Server) bucket(t *testing.T) string {
	t.Helper()
	name := fmt.Sprintf("bucket-%d", s.buckets.Add(1))
	if _, err := s.client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String(name)}); err != nil {
		t.Fatal(err)
	}
	return name
}

// open is a new bucket by URL. Credentials are those of the environment.
func (s *s3Server) open(t *testing.T, bucket string) *blob.Store {
	t.Helper()
	store, err := blob.Open(t.Context(), "s3://"+bucket+"?region="+s3Region+"&use_path_style=true&endpoint="+s.endpoint, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// harness is a bucket for the conformance suite. Rights end with the signature: the
// server's root user has them all.
func (s *s3Server) harness(bucket string) drivertest.Harness {
	var denied atomic.Bool
	client := s3.New(s.client.Options(), func(o *s3.Options) { o.HTTPClient = forger{&denied} })
	return drivertest.Harness{
		Driver: s3store.New(client, bucket, nil),
		Lacks:  s3Lacks,
		PutEncoded: func(key string, data []byte, encoding string) error {
			_, err := s.client.PutObject(context.Background(), &s3.PutObjectInput{
				Bucket: &bucket, Key: &key, Body: bytes.NewReader(data), ContentEncoding: &encoding,
			})
			return err
		},
		Deny: func(string) error {
			denied.Store(true)
			return nil
		},
	}
}

// forger is a client whose signatures are wrong once forged is set.
type forger struct{ forged *atomic.Bool }

func (f forger) Do(r *http.Request) (*http.Response, error) {
	if f.forged.Load() {
		const last = "0000"
		auth := r.Header.Get("Authorization")
		r.Header.Set("Authorization", auth[:len(auth)-len(last)]+last)
	}
	return http.DefaultTransport.RoundTrip(r)
}

func TestS3(t *testing.T) {
	s := startS3(t)
	t.Setenv("AWS_ACCESS_KEY_ID", accessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", secretKey)
	t.Run("conformance", func(t *testing.T) {
		drivertest.Run(t, func(t *testing.T) drivertest.Harness {
			return s.harness(s.bucket(t))
		})
	})
	testJobs(t, s.open(t, s.bucket(t)))
	t.Run("stored gzip", func(t *testing.T) {
		bucket := s.bucket(t)
		_, err := s.client.PutObject(t.Context(), &s3.PutObjectInput{
			Bucket: &bucket, Key: aws.String("plain.txt"),
			Body:            bytes.NewReader(compress(t, []byte("one\ntwo\n"))),
			ContentEncoding: aws.String("gzip"),
		})
		if err != nil {
			t.Fatal(err)
		}
		wantDecoded(t, s.open(t, bucket), "plain.txt")
	})
	t.Run("folder markers", func(t *testing.T) {
		store := s.open(t, s.bucket(t))
		put(t, store, "folder/", nil)
		obj, err := store.Stat(t.Context(), "folder/")
		if err != nil || obj.Size != 0 {
			t.Errorf("stat: got size %d, %v, want an empty object", obj.Size, err)
		}
		for obj, err := range store.List(nil).Objects(t.Context(), blob.Mark{}) {
			if err != nil || obj.Key != "folder/" {
				t.Errorf("list: got %q, %v, want the marker", obj.Key, err)
			}
		}
	})
	t.Run("denied", func(t *testing.T) {
		bucket := s.bucket(t)
		t.Setenv("AWS_SECRET_ACCESS_KEY", "another")
		wantDenied(t, s.open(t, bucket))
	})
	t.Run("no bucket", func(t *testing.T) {
		store := s.open(t, "nonesuch")
		_, statErr := store.Stat(t.Context(), "k")
		_, readErr := store.NewReader(t.Context(), "k", nil)
		for _, err := range []error{statErr, readErr} {
			if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), `bucket "nonesuch" does not exist`) {
				t.Errorf("got %v, want the bucket named as missing", err)
			}
		}
	})
}
