package cli

import (
	"context"
	"errors"
	"flag"
	"io"
)

// One is a program without flags that does something with what its one argument
// names. usage is as in [UsageError].
func One(name, usage string, do func(ctx context.Context, what string, stdout io.Writer) error) Program {
	return func(ctx context.Context, args []string, stdout, stderr io.Writer) int {
		fs := flag.NewFlagSet(name, flag.ContinueOnError)
		args, err := new(Flags).Parse(fs, args)
		if err == nil && len(args) != 1 {
			err = errOne
		}
		if err != nil {
			return UsageError(name, usage, fs, err, stdout, stderr)
		}
		if err := do(ctx, args[0], stdout); err != nil {
			return NewConsole(name, stderr, false).Plain().Fail(err)
		}
		return OK
	}
}

var errOne = errors.New("say what to read: one file, folder, glob or URL")
