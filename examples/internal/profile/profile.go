package profile

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/simstore"
	"github.com/thaw-go/thaw/examples/internal/cli"
	"github.com/thaw-go/thaw/internal/amount"
	"github.com/thaw-go/thaw/stream"
)

const usage = `usage: %s [flags] [FILE | FOLDER | GLOB | URL]...

Reads everything that the arguments name, drops the records, and says where the
time went. A record that is too large to be held, such as a long member of a tar, is
read to its end all the same; -max-record makes it an error. Without an argument it
makes about 64 MB of records in five codecs in a temporary folder, profiles them,
and removes the folder.

With -q the headline is all it prints; with -json as well, the whole report.

The exit status is 0 only if all was read completely.

`

// Run profiles what args name and returns the exit status. name is how the program
// calls itself.
func Run(ctx context.Context, name string, args []string, stdout, stderr io.Writer) int {
	f := cli.Flags{Stdin: true}
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	f.Decode(fs)
	f.Records(fs)
	f.Parallel(fs)
	fs.BoolVar(&f.JSON, "json", false, "the report as JSON; times in nanoseconds")
	var link *simstore.Link
	fs.Func("link", "read as over a network: `SPEC` is ttfb=30ms,conn=85MB/s,total=1GB/s or a part of it", func(spec string) error {
		l, err := simstore.ParseLink(spec)
		link = &l
		return err
	})
	args, err := f.Parse(fs, args)
	if err != nil {
		return cli.UsageError(name, usage, fs, err, stdout, stderr)
	}
	defer f.LimitMemory()()
	if link != nil {
		f.Wrap = func(d driver.Driver) driver.Driver { return simstore.New(d, *link) }
	}
	p := &run{
		Flags: &f, console: f.Console(name, stderr), stdout: stdout, link: link,
	}
	p.console.Writes(stdout)
	stop := p.console.Watch()
	defer stop()
	if len(args) == 0 {
		if p.staged, err = p.stage(ctx); err != nil {
			return p.console.Fail(err)
		}
		defer p.staged.remove()
		args = []string{p.staged.dir}
	}
	return p.profile(ctx, args)
}

// run is one profile.
type run struct {
	*cli.Flags
	console *cli.Console
	stdout  io.Writer
	staged  *set           // nil when the user named what to read
	link    *simstore.Link // nil: the store is read as it is
}

// say writes what the program does, where the output is for people.
func (p *run) say(format string, args ...any) {
	if !p.JSON && !p.Quiet {
		fmt.Fprintf(p.stdout, format, args...)
	}
}

func (p *run) stage(ctx context.Context) (*set, error) {
	p.say("Making records: NDJSON, CSV and binary, each plain and in gzip, zstd, lz4 and snappy.\n")
	start := time.Now()
	s, err := stage(ctx)
	if err != nil {
		return nil, err
	}
	p.say("%d objects, %s in all, stored as %s in %s (removed at the end). Took %.1f s.\n",
		s.objects, amount.Data(s.decoded), amount.Data(s.stored), s.dir, time.Since(start).Seconds())
	return s, nil
}

func (p *run) profile(ctx context.Context, whats []string) int {
	src, err := cli.OpenAll(ctx, whats, p.console)
	if err != nil {
		return p.console.Fail(err)
	}
	defer src.Store.Close()
	opts, err := p.Job(p.console)
	if err != nil {
		return p.console.Fail(err)
	}
	if p.MaxRecord == 0 {
		opts.Read.Oversized = stream.TruncateOversized // nobody looks at its data
	}
	opts.Trace = p.console.Trace()
	over := ""
	if p.link != nil {
		over = " over a simulated link (" + p.link.String() + ")"
	}
	if p.staged != nil {
		// The set is so small that first touches of memory would make up most of
		// its figures. What the first read leaves in the Pool is warm.
		p.say("Reading %s%s twice, dropping the records. The report is of the second time.\n\n", src.Name, over)
		opts.Read.Pool = stream.NewPool(&stream.PoolOptions{Memory: opts.Memory, Workers: opts.Workers})
		first := *opts
		first.Trace = nil
		if _, err := stream.Backfill(ctx, src, stream.Discard, &first); err != nil {
			return p.console.Fail(err)
		}
	} else {
		p.say("Reading %s%s, dropping the records.\n\n", src.Name, over)
	}
	report, err := stream.Backfill(ctx, src, stream.Discard, opts)
	if cerr := p.Close(); err == nil {
		err = cerr
	}
	long := report.Counts.RecordsTruncated
	read := *report
	read.Counts.RecordsTruncated = 0 // cut, but read and framed to their ends
	if werr := p.print(report, &read); err == nil {
		err = werr
	}
	if long > 0 {
		p.console.Note("%s too large to be held: read to the end, its data dropped early (-max-record sets the limit)", cli.Count(int(long), "record"))
	}
	switch {
	case err != nil:
		return p.console.Fail(err)
	case cli.Empty(report):
		return p.console.Fail(cli.Nothing(src.Name))
	case p.staged != nil && report.Counts.Decoded != p.staged.decoded:
		return p.console.Fail(fmt.Errorf("%d bytes decoded of %d made", report.Counts.Decoded, p.staged.decoded))
	}
	if err := cli.Incomplete(&read); err != nil {
		return p.console.Fail(err)
	}
	return cli.OK
}

// print writes the report: whole, as JSON, or the headline alone. read is the report
// without the records that were only too large to be held.
func (p *run) print(r, read *stream.Report) error {
	switch {
	case p.JSON:
		e := json.NewEncoder(p.stdout)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(struct {
			Headline string `json:"headline"`
			Complete bool   `json:"complete"`
			*stream.Report
		}{r.Headline(), read.Complete(), r})
	case p.Quiet:
		_, err := fmt.Fprintln(p.stdout, r.Headline())
		return err
	}
	shown := *read
	if r.Error != "" {
		shown.Error = "ended by an error of class " + r.Class // stderr has it
	}
	_, err := fmt.Fprint(p.stdout, &shown)
	return err
}
