package gcsstore

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"cloud.google.com/go/storage"
	"google.golang.org/api/option"
	htransport "google.golang.org/api/transport/http"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/internal/badurl"
	"github.com/thaw-go/thaw/blob/internal/httpstore"
)

func init() { driver.Register("gs", openURL) }

// scope is what access tokens are requested for, as by gocloud.dev.
const scope = "https://www.googleapis.com/auth/cloud-platform"

// openURL opens "gs://bucket/folder/?parameter=…".
func openURL(ctx context.Context, u *url.URL) (*driver.Opened, error) {
	if u.Opaque != "" || u.User != nil || u.Host == "" || u.Port() != "" {
		return nil, badurl.Errorf("a URL of Google Cloud Storage is gs://bucket or gs://bucket/folder/")
	}
	p, err := parse(u.Query())
	if err != nil {
		return nil, err
	}
	client, err := p.client(ctx)
	if err != nil {
		return nil, err
	}
	bucket := client.Bucket(u.Host)
	if p.userProject != "" {
		bucket = bucket.UserProject(p.userProject)
	}
	d := New(bucket, nil)
	d.client = client
	return &driver.Opened{Driver: d, Key: strings.TrimPrefix(u.Path, "/")}, nil
}

// params are the parameters of a URL, those of gocloud.dev's gcsblob.
type params struct {
	anonymous bool
	universe  string // domain of the service; empty means googleapis.com
	grpc      bool
	zonal     bool

	userProject string // pays for requests; empty means the bucket's owner
}

func parse(q url.Values) (p params, err error) {
	for name, values := range q {
		if len(values) > 1 {
			return p, badurl.Errorf("parameter %s is given twice", name)
		}
		value, bad := values[0], error(nil)
		switch name {
		case "anonymous":
			var is bool
			is, bad = truth(value)
			p.anonymous = p.anonymous || is
		case "access_id":
			p.anonymous = p.anonymous || value == "-"
		case "private_key_path": // like access_id, of use for signed URLs only
		case "user_project":
			p.userProject = value
		case "universe_domain":
			p.universe = value
		case "grpc":
			p.grpc, bad = truth(value)
		case "zonal":
			p.zonal, bad = truth(value)
		default:
			return p, badurl.Errorf("unknown parameter %q", name)
		}
		if bad != nil {
			return p, badurl.Errorf("parameter %s is true or false", name)
		}
	}
	if p.zonal && q.Get("grpc") != "" && !p.grpc {
		return p, badurl.Errorf("zonal=true needs grpc=true")
	}
	p.grpc = p.grpc || p.zonal
	return p, nil
}

// truth reads a parameter that may be empty.
func truth(value string) (bool, error) {
	if value == "" {
		return false, nil
	}
	return strconv.ParseBool(value)
}

// client makes the client of a URL. What it may need later, such as tokens, outlives
// ctx.
func (p params) client(ctx context.Context) (*storage.Client, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	var opts []option.ClientOption
	if p.universe != "" {
		opts = append(opts, option.WithUniverseDomain(p.universe))
	}
	if p.grpc {
		return p.grpcClient(ctx, opts)
	}
	transport := httpstore.Transport()
	if p.anonymous || os.Getenv("STORAGE_EMULATOR_HOST") != "" {
		opts = append(opts, option.WithoutAuthentication(), option.WithHTTPClient(&http.Client{Transport: transport}))
		return storage.NewClient(ctx, opts...)
	}
	withToken, err := htransport.NewTransport(ctx, transport, append(opts, option.WithScopes(scope), option.WithTelemetryDisabled())...)
	if err != nil {
		return nil, fmt.Errorf("no credentials (anonymous=true reads public buckets): %w: %w", fs.ErrPermission, err)
	}
	return storage.NewClient(ctx, append(opts, option.WithHTTPClient(&http.Client{Transport: withToken}))...)
}

// grpcClient makes a client of the gRPC API.
func (p params) grpcClient(ctx context.Context, opts []option.ClientOption) (*storage.Client, error) {
	if p.anonymous {
		opts = append(opts, option.WithoutAuthentication())
	}
	if p.zonal {
		opts = append(opts, storage.WithAppendableUploads(), storage.WithGRPCBidiReads())
	}
	return storage.NewGRPCClient(ctx, opts...)
}

var (
	_ driver.Driver    = (*Driver)(nil)
	_ driver.Describer = (*Driver)(nil)
	_ driver.Deleter   = (*Driver)(nil)
)
