package s3store_test

import (
	"maps"
	"testing"

	"github.com/thaw-go/thaw/blob/driver/drivertest"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
)

var lacks = map[drivertest.Ability]string{
	drivertest.AnyBytes: "keys of S3 are UTF-8",
}

func TestConformance(t *testing.T) {
	for name, opts := range map[string]faultstore.Options{
		"as the protocol says":                    {},
		"without preconditions, with small pages": {NoPreconditions: true, Page: 50},
		"with weak ETags":                         {WeakETags: true},
	} {
		lacks := maps.Clone(lacks)
		if opts.WeakETags {
			lacks[drivertest.Conditions] = "a weak ETag matches none"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			drivertest.Run(t, func(t *testing.T) drivertest.Harness {
				store, d := serve(t, &opts)
				return drivertest.Harness{
					Driver: d,
					Lacks:  lacks,
					PutEncoded: func(key string, data []byte, encoding string) error {
						store.Add(faultstore.Item{Key: key, Content: faultstore.Bytes(data), ContentEncoding: encoding})
						return nil
					},
					Deny: func(key string) error {
						store.Add(faultstore.Item{Key: key, Denied: true})
						return nil
					},
				}
			})
		})
	}
}
