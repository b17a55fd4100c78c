package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/thaw-go/thaw/examples/internal/cli"
)

// version writes what the build recorded: the module's version or the commit, and
// the compiler and platform.
func version(args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		fmt.Fprintln(stderr, "thaw version: it takes no argument")
		return cli.Usage
	}
	name, commit, changed := "(devel)", "", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			name = info.Main.Version
		}
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				commit = " commit " + s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				changed = " (changed)"
			}
		}
	}
	if _, err := fmt.Fprintf(stdout, "thaw %s%s%s %s %s/%s\n", name, commit, changed, runtime.Version(), runtime.GOOS, runtime.GOARCH); err != nil {
		return cli.NewConsole("thaw version", stderr, false).Fail(err)
	}
	return cli.OK
}
