package gcsstore_test

import (
	"testing"

	"github.com/thaw-go/thaw/internal/testing/leak"
)

// TestMain fails when an upload, or a goroutine of the store, outlives the tests.
func TestMain(m *testing.M) {
	leak.Main(m, "github.com/thaw-go/thaw/blob/gcsstore.", "cloud.google.com/go/storage.")
}
