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
	"os"
	"os/signal"
	"time"

	"github.com/thaw-go/thaw/blob"
	_ "github.com/thaw-go/thaw/blob/filestore" // paths and file: URLs
	"github.com/thaw-go/thaw/stream"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet("backfill", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() {
		fmt.Fprintln(fs.Output(), "usage: backfill [flags] SOURCE OUTPUT MANIFEST")
		fs.PrintDefaults()
	}
	lanes := fs.Int("lanes", 0, "`N` objects are read at once; default the number of processors")
	every := fs.Duration("every", 10*time.Second, "how often what was read is made durable")
	delay := fs.Duration("delay", 0, "a pause before each batch, for those who want to watch or to kill it")
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0 // Usage was called
	case err != nil:
		return 2
	case fs.NArg() != 3:
		fs.Usage()
		return 2
	}
	if err := together(fs.Arg(1), fs.Arg(2)); err != nil {
		fmt.Fprintln(stderr, "backfill:", err)
		return 1
	}
	src, err := blob.OpenSource(ctx, fs.Arg(0), nil)
	if err != nil {
		fmt.Fprintln(stderr, "backfill:", err)
		return 1
	}
	defer src.Store.Close()
	report, err := backfill(ctx, src, fs.Arg(1), *delay, &stream.Options{
		// A record is a line, whatever the extension: its data holds no line end.
		Read:            stream.ReadOptions{Frame: "lines"},
		Lanes:           *lanes,
		Checkpoint:      stream.FileCheckpoint(fs.Arg(2)),
		CheckpointEvery: *every,
	})
	if err == nil && report.Counts.Listed.Objects+report.Earlier.Listed.Objects == 0 {
		err = fmt.Errorf("%s: no object there", src.Name)
	}
	fmt.Fprint(stdout, report)
	if err != nil {
		fmt.Fprintln(stderr, "backfill:", err)
	}
	if err != nil || !report.Complete() {
		return 1
	}
	return 0
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
