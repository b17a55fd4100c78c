package main

import (
	"context"
	"errors"
	"flag"
	"io"

	"github.com/thaw-go/thaw/examples/internal/cli"
	"github.com/thaw-go/thaw/stream"
)

const redriveUsage = `usage: %s [flags] QUARANTINE SOURCE

Delivers what QUARANTINE, a file or the URL of an object that thaw backfill -on-error
quarantine=FILE wrote, says was not delivered, and nothing else: single records, and
objects from the first record on that was not delivered. SOURCE is that of the backfill;
with -keys or -inventory, its bucket or folder. Use the -frame and -codec of the
backfill.

What fails again goes to -on-error again: with another quarantine=FILE, that file is
what is left to deliver. -to dir:PATH and -to URL replace files and objects of the same
names: name another place than that of the backfill.

-manifest, -report and signals are as those of thaw backfill. A manifest is of one
QUARANTINE: that of a file that has grown is refused.

The exit status is 0 only if everything was delivered.

`

func redrive(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	const name = "thaw redrive"
	var f cli.Flags
	var b backfillFlags
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	b.add(fs, &f)
	whats, err := f.Parse(fs, args)
	if err == nil && len(whats) != 2 {
		err = errors.New("say which quarantine file, and the source that it is of")
	}
	if err == nil {
		b.quarantine = whats[0]
		err = b.checkPlaces(f.OnError)
	}
	if err != nil {
		return cli.UsageError(name, redriveUsage, fs, err, stdout, stderr)
	}
	return b.main(ctx, name, whats[1], stream.Within{}, &f, stdout, stderr)
}

// openQuarantine opens a quarantine file or object.
func openQuarantine(ctx context.Context, what string, console *cli.Console) (r io.Reader, closeIt func(), err error) {
	store, key, err := cli.At(ctx, what, console)
	if err != nil {
		return nil, nil, cli.In(what, err)
	}
	rd, err := store.NewReader(ctx, key, nil)
	if err != nil {
		store.Close()
		return nil, nil, cli.In(what, err)
	}
	return rd, func() { rd.Close(); store.Close() }, nil
}
