// Postgres reads compressed NDJSON or CSV of an object store into a table, each record exactly
// once, however often it is killed and started again.
//
//	go -C examples/postgres run . -dsn postgres:///logs -table lines -columns id,at,doc \
//	    -manifest job.json 's3://logs/2026/**'
//
// README.md says how.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/thaw-go/thaw/blob"
	_ "github.com/thaw-go/thaw/blob/allstores"
	"github.com/thaw-go/thaw/examples/internal/cli"
	"github.com/thaw-go/thaw/stream"
)

const usage = `usage: %s [flags] SOURCE

Reads the records of SOURCE, which is a file, a folder, a glob or a URL, into a table of
PostgreSQL. A record is a JSON object, or a row of CSV under a header; its fields go into
the columns of the same names. A record that the table would refuse is left out, up to
-max-bad of them.

A second run goes on where the first one stopped: the table says which records it has.
With -manifest the run does not list and read again what is done. The first Ctrl-C or
SIGTERM commits what was read, and ends the run.

The exit status is 0 only if everything was read and nothing was left out.

`

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	const name = "postgres"
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	dsn := fs.String("dsn", "", "the database, as `URL` or as libpq takes it; empty means the PG… variables of the environment")
	table := fs.String("table", "", "the `NAME` of the table, which exists")
	columns := fs.String("columns", "", "`LIST` of the columns to write, such as id,at,doc")
	manifest := fs.String("manifest", "", "`FILE` that says what is done")
	shard := fs.String("shard", "", "`I/N`: read part I of N, counted from 0, under a manifest for each")
	frame := fs.String("frame", "ndjson", "`NAME` is ndjson, lines or csv: lines leaves it to the table what is no JSON")
	lanes := fs.Int("lanes", 4, "`N` objects are read at once, each with a connection")
	maxBad := fs.Int64("max-bad", 0, "up to `N` records may be left out")
	every := fs.Duration("every", 10*time.Second, "how often rows are committed")
	args, err := new(cli.Flags).Parse(fs, args)
	part, parts, shardErr := cli.ParseShard(*shard)
	switch {
	case err != nil:
	case len(args) != 1:
		err = errors.New("name one source")
	case *table == "" || *columns == "":
		err = errors.New("-table and -columns name the table and its columns")
	case *frame != "ndjson" && *frame != "lines" && *frame != "csv":
		err = fmt.Errorf("-frame is ndjson, lines or csv, not %q", *frame)
	case *lanes < 1 || *maxBad < 0 || *every <= 0:
		err = errors.New("-lanes and -every are positive, and -max-bad is not negative")
	default:
		err = shardErr
	}
	if err != nil {
		return cli.UsageError(name, usage, fs, err, stdout, stderr)
	}
	console := cli.NewConsole(name, stderr, false).Plain().Lines()
	src, err := blob.OpenSource(ctx, args[0], nil)
	if err != nil {
		return console.Fail(err)
	}
	defer src.Store.Close()
	if parts > 0 {
		src = blob.Shard(src, part, parts)
	}
	sink, err := NewSink(ctx, SinkOptions{
		DSN: *dsn, Table: *table, Columns: strings.Split(*columns, ","), CSV: *frame == "csv",
		Lanes: *lanes, ObjectName: src.Store.ObjectName,
	})
	if err != nil {
		return console.Fail(err)
	}
	defer sink.Close()
	opts := &stream.Options{
		Read:            stream.ReadOptions{Frame: *frame},
		Output:          sink.Output(),
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
	if n := sink.Repeated(); n > 0 {
		console.Note("%d records were in the table already", n)
	}
	switch {
	case err != nil:
		return console.Fail(err)
	case !report.Complete():
		return cli.Failed
	}
	return cli.OK
}
