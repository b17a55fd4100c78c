package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/thaw-go/thaw/examples/internal/cli"
)

const versionUsage = `usage: %s

Writes the version or the commit of this program, and the compiler and platform.
`

// version writes what the build recorded: the module's version or the commit, and
// the compiler and platform.
func version(args []string, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet("thaw version", flag.ContinueOnError)
	args, err := new(cli.Flags).Parse(fs, args)
	if err == nil && len(args) > 0 {
		err = errors.New("it takes no argument")
	}
	if err != nil {
		return cli.UsageError(fs.Name(), versionUsage, fs, err, stdout, stderr)
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
	text := fmt.Sprintf("thaw %s%s%s %s %s/%s\n", name, commit, changed, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return cli.Print(fs.Name(), text, stdout, stderr)
}
