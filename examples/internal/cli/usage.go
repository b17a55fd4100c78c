package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
)

// UsageError answers arguments that do not parse and gives the exit status. Help
// that was asked for goes to stdout and is no failure. usage is a format for the
// name.
func UsageError(name, usage string, fs *flag.FlagSet, err error, stdout, stderr io.Writer) int {
	if !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(stderr, "%s: %v\n%s:   %s -h tells more\n", name, err, name, name)
		return Usage
	}
	fmt.Fprintf(stdout, usage, name)
	fs.SetOutput(stdout)
	fs.PrintDefaults()
	return OK
}
