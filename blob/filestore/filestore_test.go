package filestore_test

import (
	"testing"

	"github.com/thaw-go/thaw/blob/driver/drivertest"
	"github.com/thaw-go/thaw/blob/filestore"
)

// lacks is what no folder of files can do.
var lacks = map[drivertest.Ability]string{
	drivertest.Markers:      "a folder is no file",
	drivertest.KeyAndFolder: "a name is a file or a folder",
	drivertest.AnyElement:   "the system cleans paths, so such keys are refused",
}

func TestConformance(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, func(t *testing.T) drivertest.Harness {
		d, err := filestore.New(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		return drivertest.Harness{Driver: d, Lacks: lacks}
	})
}
