package filestore_test

import (
	"testing"
	"time"

	"github.com/thaw-go/thaw/blob/driver/drivertest"
	"github.com/thaw-go/thaw/blob/filestore"
)

// fixedTime is the time of a rewritten file.
var fixedTime = time.Unix(1_000_000_000, 5)

// lacks is what no folder of files can do.
var lacks = map[drivertest.Ability]string{
	drivertest.Markers:      "a folder is no file",
	drivertest.KeyAndFolder: "a name is a file or a folder",
	drivertest.OddKeys:      "some are no relative paths",
	drivertest.AnyElement:   "the system cleans paths, so such keys are refused",
}

func TestConformance(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, func(t *testing.T) drivertest.Harness {
		d, err := filestore.New(t.TempDir(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return drivertest.Harness{Driver: d, Lacks: lacks}
	})
}
