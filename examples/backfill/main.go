// Backfill copies every line under a source into one file, and can be killed at
// any moment: the next run goes on where the manifest says.
//
//	go run ./examples/backfill 'logs/**' out.tsv manifest.json
//
// The output has a line "id<TAB>data" for each record. After a kill some are there
// twice, none is missing: those with the same id are the same record.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/thaw-go/thaw/blob"
	_ "github.com/thaw-go/thaw/blob/filestore" // paths and file: URLs
	"github.com/thaw-go/thaw/examples/internal/cli"
	"github.com/thaw-go/thaw/stream"
)

const usage = `usage: %s [flags] SOURCE OUTPUT MANIFEST

Copies every line under SOURCE, which is a file, a folder, a glob or a URL, into the
file OUTPUT, as lines "id<TAB>data". MANIFEST is a file that says what is done: with
it the next run goes on where this one stopped.

The first Ctrl-C or SIGTERM ends it once what was read is written, so that the next run
repeats nothing. A second one ends it at once.

The exit status is 0 only if everything was read completely.

`

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	const name = "backfill"
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	lanes := fs.Int("lanes", 0, "`N` objects are read at once; default the number of processors")
	every := fs.Duration("every", 10*time.Second, "how often what was read is made durable")
	delay := fs.Duration("delay", 0, "a pause before each batch, for those who want to watch or to kill it")
	args, err := new(cli.Flags).Parse(fs, args)
	switch {
	case err == nil && len(args) != 3:
		err = errors.New("say where records come from, where they go, and where the manifest lies")
	case err == nil && (*lanes < 0 || *every <= 0 || *delay < 0):
		err = errors.New("-lanes and -delay are not negative, and -every is positive")
	}
	if err != nil {
		return cli.UsageError(name, usage, fs, err, stdout, stderr)
	}
	source, output, manifest := args[0], args[1], args[2]
	console := cli.NewConsole(name, stderr, false).Plain()
	if err := together(output, manifest); err != nil {
		return console.Fail(err)
	}
	src, err := blob.OpenSource(ctx, source, nil)
	if err != nil {
		return console.Fail(err)
	}
	defer src.Store.Close()
	report, err := backfill(ctx, src, output, *delay, &stream.Options{
		// A record is a line, whatever the extension: its data holds no line end.
		Read:            stream.ReadOptions{Frame: "lines"},
		Lanes:           *lanes,
		Checkpoint:      stream.FileCheckpoint(manifest),
		CheckpointEvery: *every,
		Writes:          []string{output},
		Drain:           cli.Graceful(ctx),
	})
	if err == nil && report.Counts.Listed.Objects+report.Earlier.Listed.Objects == 0 {
		err = cli.Nothing(src.Name)
	}
	fmt.Fprint(stdout, report)
	switch {
	case err != nil:
		return console.Fail(err)
	case !report.Complete():
		return cli.Failed
	}
	return cli.OK
}

// backfill reads all of src into the file at path.
func backfill(ctx context.Context, src blob.Source, path string, delay time.Duration, opts *stream.Options) (*stream.Report, error) {
	sink := &lineSink{path: path, delay: delay}
	report, err := stream.Backfill(ctx, src, sink, opts)
	if cerr := sink.close(); err == nil {
		err = cerr
	}
	return report, err
}
