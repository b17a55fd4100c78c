package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	_ "github.com/thaw-go/thaw/blob/s3store"
	"github.com/thaw-go/thaw/blob/simstore"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
)

// serverURL names the server for the processes that measure.
const serverURL = "THAW_BENCH_URL"

// place is a large object and a folder of small ones.
type place struct {
	largeKey string
	size     int64
	folder   string
	small    int
}

func (j *job) measured() place { return place{"large.bin", j.size, "small/", j.small} }

// warm is a smaller place of the same kind.
func (j *job) warm() place {
	return place{"warm.bin", min(j.size, 512<<20), "warm/", min(j.small, 20*j.lanes)}
}

const firstKey = "first.ndjson.zst"

// objects makes what is read. The large object is a block again and again, the
// small ones are the same lines.
func (j *job) objects() (*faultstore.Store, error) {
	s := faultstore.New(nil)
	block := make([]byte, 1<<20+7)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range block {
		block[i] = byte(r.Uint32())
	}
	lines := []byte(strings.Repeat("a line of sixty-four bytes, which is a power of two, to be cut.\n", int(j.bytes/64)))
	for _, p := range []place{j.measured(), j.warm()} {
		s.Add(faultstore.Item{Key: p.largeKey, Content: faultstore.Repeated{Block: block, Total: p.size}})
		for i := range p.small {
			s.Add(faultstore.Item{Key: fmt.Sprintf("%s%06d.txt", p.folder, i), Content: faultstore.Bytes(lines)})
		}
	}
	first, err := corpus.Encode("zstd", corpus.NDJSONBytes(1, 20_000))
	s.Add(faultstore.Item{Key: firstKey, Content: faultstore.Bytes(first)})
	return s, err
}

// linesOf is how many lines the small objects of a place have together.
func (j *job) linesOf(p place) int64 { return int64(p.small) * (j.bytes / 64) }

func (j *job) serve() (*faultstore.Server, error) {
	s, err := j.objects()
	if err != nil {
		return nil, err
	}
	return faultstore.Serve(s, j.link)
}

// opener opens a store of thaw.
type opener func(ctx context.Context, folder string) (*blob.Store, error)

// s3Store is thaw's S3 adaptor on the server.
func (j *job) s3Store(ctx context.Context, folder string) (*blob.Store, error) {
	credentials()
	q := url.Values{"endpoint": {os.Getenv(serverURL)}, "region": {region}, "use_path_style": {"true"}}
	return blob.Open(ctx, "s3://"+faultstore.Bucket+"/"+folder+"?"+q.Encode(), nil)
}

// simStore is simstore over the same objects, in the process.
func (j *job) simStore(_ context.Context, folder string) (*blob.Store, error) {
	s, err := j.objects()
	if err != nil {
		return nil, err
	}
	var d driver.Driver = simstore.New(s, j.link)
	return blob.New(d, &blob.Options{Name: "sim:", Prefix: folder}), nil
}

const region = "us-east-1"

// credentials lets SDKs sign; the server does not look.
func credentials() {
	os.Setenv("AWS_ACCESS_KEY_ID", "a")
	os.Setenv("AWS_SECRET_ACCESS_KEY", "b")
}

// client is an SDK's client on the server. A nil transport is the SDK's own.
func client(transport http.RoundTripper) *s3.Client {
	o := s3.Options{
		BaseEndpoint: aws.String(os.Getenv(serverURL)), Region: region, UsePathStyle: true,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "a", SecretAccessKey: "b"}, nil
		}),
	}
	if transport != nil {
		o.HTTPClient = &http.Client{Transport: transport}
	}
	return s3.New(o)
}

// drain reads r to its end by 256 KiB and checks how much there was.
func drain(r io.Reader, want int64) (got int64, err error) {
	buf := make([]byte, 256<<10)
	for {
		n, err := r.Read(buf)
		got += int64(n)
		if err == io.EOF {
			break
		}
		if err != nil {
			return got, err
		}
	}
	if got != want {
		return got, fmt.Errorf("%d bytes instead of %d", got, want)
	}
	return got, nil
}
