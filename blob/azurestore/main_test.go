package azurestore_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestMain fails when an upload, or a goroutine of the store, outlives the tests.
func TestMain(m *testing.M) {
	code := m.Run()
	if code == 0 {
		if left := leaked(); left != "" {
			fmt.Fprintf(os.Stderr, "goroutines left after all tests:\n%s\n", left)
			code = 1
		}
	}
	os.Exit(code)
}

// leaked gives the stacks that begin in the store or in the client library.
// Goroutines that are on their way out get a moment.
func leaked() string {
	var left string
	for range 50 {
		buf := make([]byte, 1<<20)
		buf = buf[:runtime.Stack(buf, true)]
		var stacks []string
		for stack := range strings.SplitSeq(string(buf), "\n\n") {
			if strings.Contains(stack, "created by github.com/thaw-go/thaw/blob/azurestore.") ||
				strings.Contains(stack, "created by github.com/Azure/") {
				stacks = append(stacks, stack)
			}
		}
		if left = strings.Join(stacks, "\n\n"); left == "" {
			return ""
		}
		time.Sleep(10 * time.Millisecond)
	}
	return left
}
