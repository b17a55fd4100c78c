package s3store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go/logging"
	gcaws "gocloud.dev/aws"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/internal/badurl"
	"github.com/thaw-go/thaw/blob/internal/httpstore"
)

func init() { driver.Register("s3", openURL) }

// endpointRegion is the region of an endpoint whose URL names none: services
// beside S3 take it for any.
const endpointRegion = "us-east-1"

// openURL opens s3://bucket/key?parameters. What is wrong with them is
// fs.ErrInvalid.
func openURL(ctx context.Context, u *url.URL) (*driver.Opened, error) {
	opened, err := open(ctx, u)
	if err != nil && ctx.Err() == nil {
		err = badurl.Errorf("%w", err)
	}
	return opened, err
}

func open(ctx context.Context, u *url.URL) (*driver.Opened, error) {
	switch {
	case u.User != nil:
		return nil, errors.New("a URL of S3 holds no credentials: set a profile or the environment")
	case u.Opaque != "" || u.Host == "" || u.Port() != "":
		return nil, errors.New("a URL of S3 has the form s3://bucket/key")
	}
	d := &Driver{bucket: u.Host}
	q := u.Query()
	for name, values := range q {
		if len(values) > 1 {
			return nil, fmt.Errorf("parameter %q is given twice", name)
		}
	}
	change, err := takeS3(q, &d.opts)
	if err != nil {
		return nil, err
	}
	if d.opts.RequesterPays {
		d.each = append(d.each, requesterPays)
	}
	cfg, err := gcaws.V2ConfigFromURLParams(ctx, q)
	if err != nil {
		return nil, err
	}
	silence(&cfg)
	for _, endpoint := range []string{q.Get("endpoint"), aws.ToString(cfg.BaseEndpoint)} {
		if err := wholeURL(endpoint); err != nil {
			return nil, err
		}
	}
	if cfg.Region == "" {
		if q.Get("endpoint") == "" && aws.ToString(cfg.BaseEndpoint) == "" {
			return nil, errors.New("no region: add ?region= or set AWS_REGION")
		}
		cfg.Region = endpointRegion
	}
	d.client = s3.NewFromConfig(cfg, func(o *s3.Options) {
		plain(o)
		if q.Has("request_checksum_calculation") {
			o.RequestChecksumCalculation = cfg.RequestChecksumCalculation
		}
		if q.Has("response_checksum_validation") {
			o.ResponseChecksumValidation = cfg.ResponseChecksumValidation
		}
		change(o)
		if c, ok := o.HTTPClient.(*awshttp.BuildableClient); ok {
			tuned := connections{c.GetTransport()}
			httpstore.Tune(tuned.Transport)
			o.HTTPClient, d.idle = tuned, tuned
		}
		o.Credentials = markFailures(o.Credentials)
	})
	return &driver.Opened{Driver: d, Key: strings.TrimPrefix(u.Path, "/")}, nil
}

// wholeURL refuses an endpoint that no request could be sent to.
func wholeURL(endpoint string) error {
	if endpoint == "" {
		return nil
	}
	u, err := url.Parse(endpoint)
	if err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") {
		return nil
	}
	if !strings.Contains(endpoint, "://") {
		return errors.New("the endpoint is a whole URL: http:// or https:// is missing before the host")
	}
	return errors.New("the endpoint is no URL of the form https://host or http://host:port")
}

// silence discards what the SDK logs: stderr is the program's, and errors are returned.
// The clients that look for credentials have the logger already.
func silence(cfg *aws.Config) {
	if l, ok := cfg.Logger.(*logging.StandardLogger); ok {
		l.Logger.SetOutput(io.Discard)
	}
	cfg.Logger = logging.Nop{}
}

// takeS3 removes the parameters that are about S3 from q; what stays is about AWS.
func takeS3(q url.Values, opts *Options) (change func(*s3.Options), err error) {
	if value := q.Get("ssetype"); value != "" {
		for _, t := range types.ServerSideEncryption("").Values() {
			if strings.EqualFold(value, string(t)) {
				opts.Encryption = t
			}
		}
		if opts.Encryption == "" {
			return nil, fmt.Errorf("parameter ssetype: unknown encryption %q", value)
		}
	}
	opts.KMSKeyID = q.Get("kmskeyid")
	switch value := q.Get("request_payer"); value {
	case "":
	case "requester":
		opts.RequesterPays = true
	default:
		return nil, fmt.Errorf("parameter request_payer is requester, not %q", value)
	}
	flags := []struct {
		name string
		set  func(o *s3.Options, on bool)
	}{
		{"accelerate", func(o *s3.Options, on bool) { o.UseAccelerate = on }},
		{"disable_https", func(o *s3.Options, on bool) { o.EndpointOptions.DisableHTTPS = on }},
		{"use_path_style", func(o *s3.Options, on bool) { o.UsePathStyle = on }},
		{"s3ForcePathStyle", func(o *s3.Options, on bool) { o.UsePathStyle = on }},
	}
	var changes []func(*s3.Options)
	for _, f := range flags {
		if value := q.Get(f.name); value != "" {
			on, err := strconv.ParseBool(value)
			if err != nil {
				return nil, fmt.Errorf("parameter %s is true or false", f.name)
			}
			changes = append(changes, func(o *s3.Options) { f.set(o, on) })
		}
		q.Del(f.name)
	}
	q.Del("ssetype")
	q.Del("request_payer")
	q.Del("kmskeyid")
	return func(o *s3.Options) {
		for _, c := range changes {
			c(o)
		}
	}, nil
}
