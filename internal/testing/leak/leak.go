// Package leak fails the tests of a package that leak goroutines.
package leak

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Main runs the tests and ends the process: with 1 if a goroutine outlives them that
// was created by a function whose name begins with one of the given prefixes, of any
// function if none is given. It is called by TestMain.
func Main(m *testing.M, creators ...string) {
	code := m.Run()
	if code == 0 {
		if left := left(creators); left != "" {
			fmt.Fprintf(os.Stderr, "goroutines left after all tests:\n%s\n", left)
			code = 1
		}
	}
	os.Exit(code)
}

// left gives the stacks of such goroutines. Those that are on their way out get a
// moment.
func left(creators []string) string {
	if len(creators) == 0 {
		creators = []string{""}
	}
	var left string
	for range 100 {
		buf := make([]byte, 1<<20)
		buf = buf[:runtime.Stack(buf, true)]
		var stacks []string
		for stack := range strings.SplitSeq(string(buf), "\n\n") {
			for _, c := range creators {
				if strings.Contains(stack, "created by "+c) {
					stacks = append(stacks, stack)
					break
				}
			}
		}
		if left = strings.Join(stacks, "\n\n"); left == "" {
			return ""
		}
		time.Sleep(10 * time.Millisecond)
	}
	return left
}
