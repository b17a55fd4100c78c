package after_test

import (
	"testing"

	"github.com/thaw-go/thaw/internal/testing/leak"
)

// TestMain fails when a test leaves a goroutine behind.
func TestMain(m *testing.M) { leak.Main(m) }
