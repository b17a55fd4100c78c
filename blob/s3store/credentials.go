package s3store

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// credentials marks the failures of a provider: what they wrap is a refusal or a
// fault of other services, which must not be taken for S3's.
type credentials struct {
	aws.CredentialsProvider
	had atomic.Bool
}

// markFailures leaves nil and anonymous credentials alone: the client looks for
// their type.
func markFailures(p aws.CredentialsProvider) aws.CredentialsProvider {
	if p == nil || aws.IsCredentialsProvider(p, (*aws.AnonymousCredentials)(nil)) {
		return p
	}
	return &credentials{CredentialsProvider: p}
}

// Retrieve returns credentials or a *credentialsError.
func (c *credentials) Retrieve(ctx context.Context) (aws.Credentials, error) {
	v, err := c.CredentialsProvider.Retrieve(ctx)
	if err == nil {
		c.had.Store(true)
		return v, nil
	}
	return aws.Credentials{}, &credentialsError{err: err, renewal: c.had.Load()}
}

// credentialsError says that there are no credentials. A renewal may succeed
// later; where none ever came there are none.
type credentialsError struct {
	err     error
	renewal bool
}

func (e *credentialsError) Error() string { return "no credentials: " + e.err.Error() }

func (e *credentialsError) Unwrap() error { return e.err }

// asCredentials finds a failure of credentials in err.
func asCredentials(err error) (*credentialsError, bool) {
	return errors.AsType[*credentialsError](err)
}
