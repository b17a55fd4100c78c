package drivertest

import (
	"context"
	"fmt"
	"io/fs"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/thaw-go/thaw/blob/driver"
)

// scheme makes the drivers under test known to package blob, each by a host name.
const scheme = "thaw-drivertest"

var hosts sync.Map // of host to driver.Driver

func init() {
	driver.Register(scheme, func(_ context.Context, u *url.URL) (*driver.Opened, error) {
		d, ok := hosts.Load(u.Host)
		if !ok {
			return nil, fs.ErrNotExist
		}
		return &driver.Opened{Driver: d.(driver.Driver), Key: strings.TrimPrefix(u.Path, "/")}, nil
	})
}

// register returns a host name for a driver, which lasts as long as the test.
func register(d driver.Driver, t *testing.T) string {
	host := fmt.Sprintf("%p", t)
	hosts.Store(host, d)
	t.Cleanup(func() { hosts.Delete(host) })
	return host
}
