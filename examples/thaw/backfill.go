package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/examples/internal/cli"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/catalog"
	"github.com/thaw-go/thaw/stream/sinks"
)

const backfillUsage = `usage: %s [flags] SOURCE

Reads every object of SOURCE once, delivers its records, and reports whether all was
read. With -manifest the next run continues where this one stopped, also inside an
object, and with the same manifest no two runs work at once.

The first Ctrl-C or SIGTERM ends it once what was read is written, so that the next run
repeats nothing; a second one ends it at once. Without a terminal, a line about every
ten seconds says how far it is.

-shard 2/5 reads the third of five disjoint parts of SOURCE: start five runs with a
manifest and a report (-report) each, and let thaw report merge check them.

-to is a part of the job: a manifest of one that wrote elsewhere is refused. What lies
where records go is not read.

-after delete deletes each object once its records are written and the manifest says
so; -after move=URL moves it, and -after tag=NAME=VALUE tags it. Objects that were replaced meanwhile, and those of which
something was left out, stay. What fails is repeated by the next run.

-follow goes on when everything was listed: it lists SOURCE again every -poll, and
reads what is new, until it is stopped. An object is read if it appears within -late of
its modification.

The exit status is 0 only if everything was read completely.

`

// backfillFlags are the flags of thaw backfill and thaw redrive alone.
type backfillFlags struct {
	quarantine                                                  string // of thaw redrive; it is no flag
	manifest, to, report, maxBad, shard, keys, inventory, after string
	every, late, poll                                           time.Duration
	follow                                                      bool
}

func backfill(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	const name = "thaw backfill"
	var f cli.Flags
	var b backfillFlags
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	b.add(fs, &f)
	fs.StringVar(&b.maxBad, "max-bad", "", "with -on-error, stop at more than so many bad records (`N`), or at more than so many of a hundred (P%)")
	fs.StringVar(&b.shard, "shard", "", "`I/N`: read part I of N, counted from 0")
	fs.StringVar(&b.keys, "keys", "", "read the objects of SOURCE, a bucket or a folder, whose keys this `FILE` lists, one on a line")
	fs.StringVar(&b.inventory, "inventory", "", "read the objects of SOURCE, a bucket, that an S3 Inventory lists: its manifest.json, or one CSV `FILE`")
	fs.StringVar(&b.after, "after", "", "what is done with each object whose records are written: delete, move=`URL` or tag=NAME=VALUE")
	fs.BoolVar(&b.follow, "follow", false, "go on when everything was listed, and read what is new")
	fs.DurationVar(&b.late, "late", time.Hour, "with -follow, how long after its modification an object may appear")
	fs.DurationVar(&b.poll, "poll", time.Minute, "with -follow, `TIME` from the end of a listing to the next")
	whats, err := f.Parse(fs, args)
	switch {
	case err == nil && len(whats) != 1:
		err = errors.New("say what to read: a file, a folder, a glob or a URL, one of them")
	case err == nil && b.keys != "" && b.inventory != "":
		err = errors.New("-keys or -inventory, not both")
	case err == nil && (b.late <= 0 || b.poll <= 0):
		err = errors.New("-late and -poll are positive")
	case err == nil && b.follow && (b.keys != "" || b.inventory != ""):
		err = errors.New("-follow lists SOURCE: a list of keys has no new ones")
	case err == nil && b.maxBad != "" && (f.OnError == "" || f.OnError == "fail"):
		err = errors.New("-max-bad bounds what -on-error leaves out: say skip or quarantine=FILE")
	}
	if err == nil {
		err = b.checkPlaces(f.OnError)
	}
	if err == nil {
		err = checkAfter(b.after, b.to)
	}
	var within stream.Within
	if err == nil {
		within, err = parseMaxBad(b.maxBad)
	}
	if err == nil {
		_, _, err = cli.ParseShard(b.shard)
	}
	if err != nil {
		return cli.UsageError(name, backfillUsage, fs, err, stdout, stderr)
	}
	return b.main(ctx, name, whats[0], within, &f, stdout, stderr)
}

// add adds the flags that thaw backfill and thaw redrive share.
func (b *backfillFlags) add(fs *flag.FlagSet, f *cli.Flags) {
	f.Decode(fs)
	f.Records(fs)
	f.Parallel(fs)
	fs.BoolVar(&f.JSON, "json", false, "the report as JSON")
	fs.StringVar(&b.manifest, "manifest", "", "the manifest is kept in this `FILE`, or under this URL of an object")
	fs.Func("every", "`TIME` between saves of the manifest; default 10s", func(text string) (err error) {
		if b.every, err = time.ParseDuration(text); err == nil && b.every < 0 {
			err = errors.New("-every is positive")
		}
		return err
	})
	fs.StringVar(&b.to, "to", "null", "where records go: null drops them, stdout writes lines, dir:PATH a file of lines for each object, a `URL` an object of lines for each object")
	fs.StringVar(&b.report, "report", "", "write the report as JSON to this `FILE`, or under this URL of an object, for thaw report merge")
}

// main runs the job, writes its report, and returns the exit status.
func (b *backfillFlags) main(ctx context.Context, name, what string, within stream.Within, f *cli.Flags, stdout, stderr io.Writer) int {
	defer f.LimitMemory()()
	console := f.Console(name, stderr)
	console.Writes(stdout)
	stop := console.Watch()
	defer stop()
	report, err := b.run(ctx, what, within, f, console, stdout)
	if report != nil {
		if f.JSON || !refused(err) {
			if werr := writeReport(stdout, stderr, report, f.JSON, b.to == "stdout"); err == nil {
				err = werr
			}
		}
		if b.report != "" {
			if werr := putReport(context.WithoutCancel(ctx), b.report, report, console); err == nil {
				err = werr
			}
		}
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = cli.Incomplete(report)
	}
	if err != nil {
		return console.Fail(err)
	}
	return cli.OK
}

// refused reports whether a manifest refused the job, so that there is nothing to report. A
// job that loses its manifest while it runs has read something.
func refused(err error) bool {
	return errors.Is(err, stream.ErrManifest) || errors.Is(err, stream.ErrOtherJob)
}

// run runs the job.
func (b *backfillFlags) run(ctx context.Context, what string, within stream.Within, f *cli.Flags, console *cli.Console, stdout io.Writer) (*stream.Report, error) {
	var entries io.Reader // of thaw redrive
	if b.quarantine != "" {
		r, closeIt, err := openQuarantine(ctx, b.quarantine, console)
		if err != nil {
			return nil, err
		}
		defer closeIt()
		entries = r
	}
	src, err := b.source(ctx, what, console)
	if err != nil {
		return nil, err
	}
	defer src.Store.Close()
	sink, to, err := b.sink(ctx, console, stdout)
	if err != nil {
		return nil, err
	}
	if to != nil {
		defer to.Close()
	}
	if err := b.checkAround(src, to); err != nil {
		return nil, err
	}
	if b.report != "" {
		if err := checkReport(ctx, b.report, console); err != nil {
			return nil, err
		}
	}
	opts, err := f.Job(console)
	if err != nil {
		return nil, err
	}
	if b.maxBad != "" {
		opts.OnRecordError = bounded(within, opts.OnRecordError)
		opts.OnObjectError = opts.OnRecordError
	}
	var closeAfter func()
	if opts.After, closeAfter, err = openAfter(ctx, b.after, console); err != nil {
		return nil, err
	}
	defer closeAfter()
	opts.CheckpointEvery, opts.Drain, opts.Output = b.every, cli.Graceful(ctx), b.output()
	if b.follow {
		opts.Follow = &stream.FollowOptions{Late: b.late, Every: b.poll}
	}
	opts.Trace = console.Lines().Trace()
	if b.manifest != "" {
		var closeManifest func()
		if opts.Checkpoint, closeManifest, err = openManifest(ctx, b.manifest, console); err != nil {
			return nil, err
		}
		defer closeManifest()
	}
	if entries != nil {
		return stream.Redrive(ctx, src.Store, stream.ReadQuarantine(entries), sink, opts)
	}
	report, err := stream.Backfill(ctx, src, sink, opts)
	if err == nil && !report.Stopped && cli.Empty(report) && !report.Resumed && b.shard == "" && !b.follow { // a shard may be empty
		err = cli.Nothing(src.Name)
	}
	return report, err
}

// bounded is a policy that answers as p within bounds, and fails beyond.
func bounded(within stream.Within, p stream.Policy) stream.Policy {
	skip := stream.SkipWithin(within)
	return func(e *stream.Error, t stream.Totals) (stream.Action, error) {
		if a, err := skip(e, t); err != nil || a == stream.Fail {
			return a, err
		}
		return p(e, t)
	}
}

// source opens what is read: a listing, or a list of keys, or a part of either.
func (b *backfillFlags) source(ctx context.Context, what string, console *cli.Console) (src blob.Source, err error) {
	switch list := b.keys + b.inventory; {
	case list == "":
		if src, err = cli.Open(ctx, what, console); err != nil {
			return src, err
		}
	default:
		lists, key, err := cli.At(ctx, list, console)
		if err != nil {
			return src, cli.In(list, err)
		}
		// The list is read while the job runs; both end with the process.
		objects, err := cli.OpenFolder(ctx, what, console)
		if err != nil {
			return src, err
		}
		console.Reads(what, objects)
		if b.keys != "" {
			src, err = catalog.KeyFile(ctx, lists, key, &catalog.KeyFileOptions{Objects: objects})
		} else {
			src, err = catalog.Inventory(ctx, lists, key, &catalog.InventoryOptions{Objects: objects})
		}
		if err != nil {
			return src, err
		}
	}
	if i, n, _ := cli.ParseShard(b.shard); n > 0 {
		src = blob.Shard(src, i, n)
	}
	return src, nil
}

// sink opens where records go. The store that it writes to, if there is one, is the
// caller's to close.
func (b *backfillFlags) sink(ctx context.Context, console *cli.Console, stdout io.Writer) (s stream.Sink, to *blob.Store, err error) {
	dir, isDir := strings.CutPrefix(b.to, "dir:")
	switch {
	case b.to == "null":
		return stream.Discard, nil, nil
	case b.to == "stdout":
		console.Output(stdout)
		return sinks.NDJSON(stdout, nil), nil, nil
	case isDir:
		return sinks.Files(dir, nil), nil, nil
	}
	if to, err = cli.OpenFolder(ctx, b.to, console); err != nil {
		return nil, nil, cli.In("-to "+b.to, err)
	}
	return sinks.Objects(to, nil), to, nil
}

// parseMaxBad reads N or P%.
func parseMaxBad(text string) (w stream.Within, err error) {
	if text == "" {
		return w, nil
	}
	if number, ok := strings.CutSuffix(text, "%"); ok {
		percent, err := strconv.ParseFloat(number, 64)
		if err != nil || percent <= 0 || percent > 100 {
			return w, fmt.Errorf("-max-bad is a number or a percentage such as 0.1%%, not %q", text)
		}
		return stream.Within{Share: percent / 100, After: 1000}, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return w, fmt.Errorf("-max-bad is a number or a percentage such as 0.1%%, not %q", text)
	}
	return stream.Within{Count: n}, nil
}

// writeReport writes the report to stdout, or to stderr if records went to stdout.
func writeReport(stdout, stderr io.Writer, r *stream.Report, asJSON, recordsOnStdout bool) error {
	w := stdout
	if recordsOnStdout {
		w = stderr
	}
	if !asJSON {
		_, err := io.WriteString(w, r.String())
		return err
	}
	data, err := reportJSON(r)
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

// reportJSON is a report in JSON with its headline and whether it is complete.
func reportJSON(r *stream.Report) ([]byte, error) {
	data, err := json.MarshalIndent(struct {
		Headline string `json:"headline"`
		Complete bool   `json:"complete"`
		*stream.Report
	}{r.Headline(), r.Complete(), r}, "", "  ")
	return append(data, '\n'), err
}

// putReport writes a report to a file or an object.
func putReport(ctx context.Context, where string, r *stream.Report, console *cli.Console) error {
	data, err := reportJSON(r)
	if err != nil {
		return err
	}
	store, key, err := cli.At(ctx, where, console)
	if err != nil {
		return cli.In("-report "+where, err)
	}
	defer store.Close()
	if _, err = store.Put(ctx, key, bytes.NewReader(data), int64(len(data)), nil); err != nil {
		return cli.In("-report "+where, err)
	}
	return nil
}
