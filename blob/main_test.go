package blob_test

import (
	"testing"

	"github.com/thaw-go/thaw/internal/testing/leak"
)

// TestMain fails when a goroutine of package blob outlives the tests.
func TestMain(m *testing.M) { leak.Main(m, "github.com/thaw-go/thaw/blob.") }
