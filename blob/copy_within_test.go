package blob_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/memstore"
)

// copying is a bucket at a location that counts how objects get there.
type copying struct {
	*memstore.Driver
	location     string
	errs         []error // of the first Copies
	copies, puts int
}

func (d *copying) Location() string { return d.location }

func (d *copying) Copy(ctx context.Context, from driver.Object, key string) error {
	if d.copies++; d.copies <= len(d.errs) {
		return d.errs[d.copies-1]
	}
	return d.Driver.Copy(ctx, from, key)
}

func (d *copying) Put(ctx context.Context, key string, r io.Reader, size int64, cond driver.Condition) (string, error) {
	d.puts++
	return d.Driver.Put(ctx, key, r, size, cond)
}

// The service copies within one bucket, by whatever Stores, and the program otherwise.
func TestCopyWithin(t *testing.T) {
	t.Parallel()
	later := fmt.Errorf("later: %w", blob.ErrTransient)
	for _, tt := range []struct {
		reason       string
		from, to     *copying // one bucket if from is nil
		errs         []error
		copies, puts int
		err          error
	}{
		{"one driver", nil, &copying{}, nil, 1, 0, nil},
		{"one location", &copying{location: "s3://a"}, &copying{location: "s3://a"}, nil, 1, 0, nil},
		{"two locations", &copying{location: "s3://a"}, &copying{location: "s3://b"}, nil, 0, 1, nil},
		{"one location and no version", &copying{location: "s3://a"}, &copying{location: "s3://a"}, nil, 0, 1, nil},
		{"no location", &copying{}, &copying{}, nil, 0, 1, nil},
		{"a fault heals", nil, &copying{}, []error{later, later}, 3, 0, nil},
		{"faults that last", nil, &copying{}, []error{later, later, later}, 3, 0, blob.ErrTransient},
		{"too large", nil, &copying{}, []error{driver.ErrUnsupported}, 1, 1, nil},
		{"changed", nil, &copying{}, []error{driver.ErrChanged}, 1, 0, blob.ErrChanged},
		{"denied", nil, &copying{}, []error{fs.ErrPermission}, 1, 0, fs.ErrPermission},
		{"one location at another endpoint", &copying{location: "s3://a"}, &copying{location: "s3://a"}, []error{fs.ErrNotExist}, 1, 1, nil},
	} {
		if tt.to.Driver = memstore.New(); tt.from == nil {
			tt.from = tt.to
		} else if tt.from.Driver = memstore.New(); tt.from.location == tt.to.location && tt.from.location != "" {
			tt.from.Driver = tt.to.Driver
		}
		retry := &blob.Retry{MaxAttempts: 3, MinBackoff: time.Nanosecond}
		from := blob.New(tt.from, &blob.Options{Prefix: "in/", Name: "from", Location: "from", Retry: retry})
		to := blob.New(tt.to, &blob.Options{Prefix: "out/", Name: "to", Location: "to", Retry: retry})
		version, err := from.Put(t.Context(), "k", strings.NewReader("data"), 4, nil)
		if err != nil {
			t.Fatal(err)
		}
		tt.from.puts, tt.to.errs = 0, tt.errs
		if strings.HasSuffix(tt.reason, "no version") {
			version = ""
		}
		made, err := from.Copy(t.Context(), blob.Object{Key: "k", Size: 4, Version: version}, to, "c")
		if !errors.Is(err, tt.err) || tt.to.copies != tt.copies || tt.to.puts != tt.puts || tt.from.puts > tt.puts {
			t.Errorf("%s: got %v, %d copies by the service, %d writes, want %v, %d, %d", tt.reason, err, tt.to.copies, tt.to.puts, tt.err, tt.copies, tt.puts)
		}
		if err == nil && (made.Key != "c" || made.Size != 4) {
			t.Errorf("%s: got %+v", tt.reason, made)
		}
	}
}
