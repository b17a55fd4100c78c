package blob

import (
	"context"

	"github.com/thaw-go/thaw/blob/driver"
)

// OpenOptions configures [Open]. Nil means the zero value.
type OpenOptions struct {
	// Retry configures retries, those of the opening included. Nil means the
	// defaults.
	Retry *Retry

	// OnRetry is called after a fault that will be retried and before the wait
	// for the retry, those of the opening included. It is not called for a fault
	// that is returned. Several goroutines may call it at once, and the retry
	// waits for it. Nil means no call.
	OnRetry func(Retrying)

	// Wrap is called once, with the driver that was opened, and returns the one
	// to use instead: a simulated link, a counter, faults. Closing the Store
	// closes the returned one. Nil means the driver as it is.
	Wrap func(driver.Driver) driver.Driver
}

// Open opens the store that a URL names: a bucket, a container, a folder. A path
// within a bucket narrows it to a folder, and the query parameter "prefix" to the keys
// that begin with it, byte for byte; keys of the Store are without both.
//
//	file:///var/log/
//	s3://logs/2026/?region=eu-west-1
//	s3://logs/?region=eu-west-1&prefix=2026-11
//
// The adaptors' packages document their parameters. Nil opts means the defaults. ctx
// bounds the opening alone. The caller closes the Store.
//
// The error is [ErrUnsupported] if no imported package has registered the scheme,
// fs.ErrInvalid if rawURL is no URL or makes no sense, and fs.ErrNotExist if a folder of
// files does not exist. A bucket is not looked up: that it does not exist is an error
// of the first call.
func Open(ctx context.Context, rawURL string, opts *OpenOptions) (*Store, error) {
	if rawURL != "" && !isURL(rawURL) {
		return nil, openError(redactText(rawURL), notURL(rawURL))
	}
	t, err := openTarget(ctx, rawURL, opts)
	if err != nil {
		return nil, err
	}
	if t.Key != "" && t.NotFolder != nil {
		return nil, t.fail(t.NotFolder)
	}
	return t.store(t.Key), nil
}
