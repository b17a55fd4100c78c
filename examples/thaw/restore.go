package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/examples/internal/cli"
	"github.com/thaw-go/thaw/stream/archive"
)

const restoreUsage = `usage: %s [flags] WHAT

Reports which objects are in an archive tier, how many bytes they are, and how long
a restore takes; nothing is asked for. With -request every archived object is
asked for, without waiting for any. With -wait it ends when all can be read.

The exit status is 0 if what was asked for was done: the plan was made; every
object was asked for; all can be read.

`

func restore(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	const name = "thaw restore"
	var f cli.Flags
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	var o archive.Options
	var poll time.Duration
	request := fs.Bool("request", false, "ask for what is archived")
	wait := fs.Bool("wait", false, "wait until everything can be read")
	fs.IntVar(&o.Days, "days", 0, "`DAYS` for which a readable copy is kept; default the service's least")
	fs.StringVar(&o.Tier, "tier", "", "`NAME` of the speed, as the service spells it (Expedited, Standard, Bulk; High)")
	fs.DurationVar(&poll, "poll", 5*time.Minute, "`TIME` between two looks at everything")
	fs.BoolVar(&f.JSON, "json", false, "the plan as JSON")
	fs.BoolVar(&f.Quiet, "q", false, "no notes and no progress")
	f.Select(fs)
	whats, err := f.Parse(fs, args)
	switch {
	case err == nil && len(whats) == 0:
		err = errWhat
	case err == nil && len(whats) > 1:
		err = errOneWhat
	case err == nil && (o.Days < 0 || poll <= 0):
		err = errors.New("-days is not negative and -poll is positive")
	case err == nil && !*request && (o.Days > 0 || o.Tier != ""):
		err = errors.New("-days and -tier are for -request")
	}
	if err != nil {
		return cli.UsageError(name, restoreUsage, fs, err, stdout, stderr)
	}
	console := f.Console(name, stderr)
	console.Writes(stdout)
	stop := console.Watch()
	defer stop()
	src, err := cli.Open(ctx, whats[0], console)
	if err != nil {
		return console.Fail(err)
	}
	defer src.Store.Close()
	look := archive.NewPlan
	if *request {
		look = archive.Request
	}
	plan, err := look(ctx, src, &o)
	if err == nil && plan.Objects() == 0 {
		err = cli.Nothing(src.Name)
	}
	if err == nil && *wait {
		var last *archive.Plan
		if last, err = waitRestored(ctx, src, &o, poll, plan, console); last != plan {
			last.Requested, last.Failed, last.Failures = plan.Requested, plan.Failed, plan.Failures
		}
		plan = last
	}
	if err == nil || plan.Objects() > 0 {
		if werr := writePlan(stdout, plan, f.JSON); err == nil {
			err = werr
		}
	}
	if err != nil {
		return console.Fail(err)
	}
	switch {
	case plan.Failed.Objects > 0:
		done := "looked at"
		if *request {
			done = "asked for"
		}
		err = fmt.Errorf("%s could not be %s", cli.Count(int(plan.Failed.Objects), "object"), done)
		if len(plan.Failures) > 0 {
			first := plan.Failures[0]
			err = fmt.Errorf("%w; the first: %s: %s", err, console.Object(first.Key), first.Error)
		}
	case *wait && !plan.Readable():
		err = fmt.Errorf("%s cannot be read: archived and not asked for (-request asks for it)", cli.Count(int(plan.Archived.Objects+plan.Restoring.Objects), "object"))
	}
	if err != nil {
		return console.Fail(err)
	}
	return cli.OK
}

// waitRestored looks at everything again and again until it can be read, or what
// cannot was never asked for. It returns the last plan.
func waitRestored(ctx context.Context, src blob.Source, o *archive.Options, poll time.Duration, plan *archive.Plan, console *cli.Console) (*archive.Plan, error) {
	began := time.Now()
	for {
		console.Progress(fmt.Sprintf("%s on the way, %d restored · %s",
			cli.Count(int(plan.Restoring.Objects+plan.Requested.Objects), "object"), plan.Restored.Objects, time.Since(began).Round(time.Second)))
		if plan.Restoring.Objects+plan.Requested.Objects == 0 {
			return plan, nil
		}
		select {
		case <-time.After(poll):
		case <-ctx.Done():
			return plan, ctx.Err()
		}
		next, err := archive.NewPlan(ctx, src, o)
		if err != nil {
			return plan, err
		}
		plan = next
	}
}

func writePlan(w io.Writer, plan *archive.Plan, asJSON bool) error {
	if !asJSON {
		_, err := io.WriteString(w, plan.String())
		return err
	}
	line, err := json.Marshal(plan)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

var errOneWhat = errors.New("name one source: a file, a folder, a glob or a URL")
