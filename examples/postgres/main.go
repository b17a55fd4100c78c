// Postgres reads compressed NDJSON from an object store into a table, each record exactly
// once, however often it is killed and started again.
//
//	go -C examples/postgres run . -dsn postgres:///logs -table lines \
//	    -columns id:bigint,at:timestamptz,doc:jsonb -manifest job.json 's3://logs/2026/**'
//
// README.md says how.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/thaw-go/thaw/blob"
	_ "github.com/thaw-go/thaw/blob/filestore"
	_ "github.com/thaw-go/thaw/blob/gcsstore"
	_ "github.com/thaw-go/thaw/blob/s3store"
	"github.com/thaw-go/thaw/examples/internal/cli"
	"github.com/thaw-go/thaw/stream"
)

const usage = `usage: %s [flags] SOURCE

Reads the records of SOURCE, which is a file, a folder, a glob or a URL, into a table of
PostgreSQL. Each record is one JSON object; its fields go into the columns of the same
names. A record that the table would refuse is left out, up to -max-bad of them.

A second run goes on where the first one stopped: the table says which records it has.
With -manifest the run does not list and read again what is done.

The exit status is 0 only if everything was read and nothing was left out.

`

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	const name = "postgres"
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	dsn := fs.String("dsn", "", "the database, as `URL` or as libpq takes it; empty means the PG… variables of the environment")
	table := fs.String("table", "", "the `NAME` of the table, which exists")
	columns := fs.String("columns", "", "`LIST` of columns and their types, such as id:bigint,name:text,doc:jsonb")
	manifest := fs.String("manifest", "", "`FILE` that says what is done")
	frame := fs.String("frame", "ndjson", "`NAME` of the framer")
	lanes := fs.Int("lanes", 4, "`N` objects are read at once, each over a connection of its own")
	maxBad := fs.Int64("max-bad", 0, "up to `N` records may be left out")
	every := fs.Duration("every", 10*time.Second, "how often rows are committed")
	args, err := new(cli.Flags).Parse(fs, args)
	var cols []column
	if err == nil {
		cols, err = parseColumns(*columns)
	}
	switch {
	case err != nil:
	case len(args) != 1:
		err = errors.New("name one source")
	case *table == "":
		err = errors.New("-table names the table")
	case *lanes < 1 || *maxBad < 0 || *every <= 0:
		err = errors.New("-lanes and -every are positive, and -max-bad is not negative")
	}
	if err != nil {
		return cli.UsageError(name, usage, fs, err, stdout, stderr)
	}
	console := cli.NewConsole(name, stderr, false).Plain()
	src, err := blob.OpenSource(ctx, args[0], nil)
	if err != nil {
		return console.Fail(err)
	}
	defer src.Store.Close()
	sink, err := NewSink(ctx, *dsn, *table, cols, src.Store.ObjectName)
	if err != nil {
		return console.Fail(err)
	}
	defer sink.Close()
	opts := &stream.Options{
		Read:            stream.ReadOptions{Frame: *frame},
		Lanes:           *lanes,
		CheckpointEvery: *every,
		Drain:           cli.Graceful(ctx),
		Trace:           console.Trace(),
	}
	if *maxBad > 0 {
		opts.OnRecordError = stream.SkipWithin(stream.Within{Count: *maxBad})
	}
	if *manifest != "" {
		opts.Checkpoint = stream.FileCheckpoint(*manifest)
		opts.Writes = []string{*manifest}
	}
	report, err := stream.Backfill(ctx, src, sink, opts)
	fmt.Fprint(stdout, report)
	switch {
	case err != nil:
		return console.Fail(err)
	case !report.Complete():
		return cli.Failed
	}
	return cli.OK
}
