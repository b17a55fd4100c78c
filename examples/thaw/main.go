// Thaw reads compressed records out of object stores: bytes, records, listings,
// and where the time goes.
package main

import (
	"context"
	"fmt"
	"io"

	_ "github.com/thaw-go/thaw/blob/allstores"
	"github.com/thaw-go/thaw/examples/internal/cli"
	"github.com/thaw-go/thaw/examples/internal/profile"
)

const usage = `usage: thaw VERB [flags] WHAT...

  profile   where the time of a read goes; without WHAT, on records that it makes
  cat       the decoded bytes of objects
  records   the records of objects
  ls        the objects themselves
  inspect   how objects are encoded, and what a reader of them needs
  index     indexes of objects, with which cat -offset starts in their middle
  restore   what is archived, and its way back
  backfill  every record, once, resumably, and a report that says whether all was read
  redrive   what a backfill has left out, and nothing else
  report    whether the shards of a backfill read everything together
  manifest  how far a backfill is, and whether its manifest is whole
  version   which version this is

WHAT is a file, a folder, a glob (quote it), - for standard input, or a URL: file:///dir/, file:///dir/a.gz,
s3://bucket/folder/?region=eu-west-1, gs://bucket/folder/, azblob://container/folder/.
A folder or a glob stands for all its objects, in byte order of their names; indexes (.thawidx) among them
are left out, but for ls. A name that does not print is shown in quotes, as a string of Go; -json has it as it is.

thaw VERB -h lists a verb's flags. The exit status is 0 only if everything asked
for was read completely, 1 on failure, 2 for arguments that make no sense.
`

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(stderr, usage)
		return cli.Usage
	}
	switch verb, args := args[0], args[1:]; verb {
	case "profile":
		return profile.Run(ctx, "thaw profile", args, stdout, stderr)
	case "cat":
		return cat(ctx, args, stdout, stderr)
	case "records":
		return records(ctx, args, stdout, stderr)
	case "ls":
		return ls(ctx, args, stdout, stderr)
	case "inspect":
		return inspect(ctx, args, stdout, stderr)
	case "index":
		return index(ctx, args, stdout, stderr)
	case "restore":
		return restore(ctx, args, stdout, stderr)
	case "backfill":
		return backfill(ctx, args, stdout, stderr)
	case "redrive":
		return redrive(ctx, args, stdout, stderr)
	case "report":
		return report(ctx, args, stdout, stderr)
	case "manifest":
		return manifestVerb(ctx, args, stdout, stderr)
	case "version", "-version", "--version":
		return version(args, stdout, stderr)
	case "help", "-h", "-help", "--help":
		if verb == "help" && len(args) == 1 && args[0] != "help" {
			return run(ctx, []string{args[0], "-h"}, stdout, stderr)
		}
		return cli.Print("thaw", usage, stdout, stderr)
	default:
		fmt.Fprintf(stderr, "thaw: no verb %q\n\n%s", verb, usage)
		return cli.Usage
	}
}
