package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// UsageError answers arguments that do not parse and returns the exit status. Help
// that was asked for goes to stdout and is no failure. usage is a format for the
// name.
func UsageError(name, usage string, fs *flag.FlagSet, err error, stdout, stderr io.Writer) int {
	if !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(stderr, "%s: %v\n%s:   %s -h says more\n", name, err, name, name)
		return Usage
	}
	var b strings.Builder
	fmt.Fprintf(&b, usage, name)
	fs.SetOutput(&b)
	fs.PrintDefaults()
	return Print(name, b.String(), stdout, stderr)
}

// Print writes a text that was asked for and returns the exit status.
func Print(name, text string, stdout, stderr io.Writer) int {
	if _, err := io.WriteString(stdout, text); err != nil {
		return NewConsole(name, stderr, false).Fail(err)
	}
	return OK
}
