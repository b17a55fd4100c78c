package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/examples/internal/cli"
	"github.com/thaw-go/thaw/internal/amount"
	"github.com/thaw-go/thaw/stream"
)

const manifestUsage = `usage: %s [flags] show MANIFEST
       %[1]s [flags] verify MANIFEST [SOURCE]

Looks at the manifest of a backfill, a file or an object, and takes nothing over: a
backfill may be at work on it.

show writes how far the job is, what is under way, and what failed; with -json the
manifest as it was saved.

verify checks that it is whole: its checksum, and every number in it. With SOURCE it
checks also that SOURCE is that of the job, and that each object under way is there
in the version that was read: another one is read again from its start. The exit
status is 0 if the next run continues where this one stopped.

`

// mostShown bounds the objects under way and the failures that show writes.
const mostShown = 20

func manifestVerb(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	const name = "thaw manifest"
	var f cli.Flags
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.BoolVar(&f.JSON, "json", false, "the manifest as JSON")
	fs.BoolVar(&f.Quiet, "q", false, "no notes and no progress")
	f.Select(fs)
	args, err := f.Parse(fs, args)
	switch {
	case err != nil:
	case len(args) == 0 || args[0] != "show" && args[0] != "verify":
		err = errors.New("say show or verify")
	case len(args) == 1:
		err = errors.New("say which manifest: a file or the URL of an object")
	case len(args) > 3 || len(args) == 3 && args[0] == "show":
		err = errors.New("that is for one manifest: name one")
	}
	if err != nil {
		return cli.UsageError(name, manifestUsage, fs, err, stdout, stderr)
	}
	console := f.Console(name, stderr)
	console.Writes(stdout)
	stop := console.Watch()
	defer stop()
	store, key, err := cli.At(ctx, args[1], console)
	if err != nil {
		return console.Fail(err)
	}
	defer store.Close()
	console.Reads(args[1], store)
	m, err := stream.ReadManifest(ctx, store, key)
	if err != nil {
		return console.Fail(err)
	}
	if args[0] == "show" {
		if err := showManifest(stdout, m, f.JSON); err != nil {
			return console.Fail(err)
		}
		return cli.OK
	}
	if len(args) == 3 {
		if err := verifySource(ctx, m, args[2], console); err != nil {
			return console.Fail(err)
		}
	}
	return cli.Print(name, fmt.Sprintf("whole: %s\n", where(m)), stdout, stderr)
}

// where says how far a job is.
func where(m *stream.Manifest) string {
	switch {
	case m.Runs == 0:
		return "nothing was saved yet"
	case m.Ended:
		return fmt.Sprintf("the job has ended, after %s", cli.Count(m.Runs, "run"))
	case m.ListingDone:
		return fmt.Sprintf("everything is listed; not finished: %s", cli.Count(len(m.Open), "object"))
	}
	return fmt.Sprintf("listed up to object %d, %s; not finished: %s", m.Ordinal, cli.Key(m.Key), cli.Count(len(m.Open), "object"))
}

func showManifest(w io.Writer, m *stream.Manifest, asJSON bool) error {
	if asJSON {
		data, err := m.Encode()
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	}
	var b strings.Builder
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-9s "+format+"\n", append([]any{name}, args...)...)
	}
	row("source", "%s", m.Job.Source)
	if m.Job.Codec != "" {
		row("codec", "%s", m.Job.Codec)
	}
	if m.Job.Frame != "" {
		row("framer", "%s", m.Job.Frame)
	}
	if m.Runs > 0 {
		row("saved", "%s", m.Saved.Format(time.RFC3339))
	}
	row("state", "%s", where(m))
	c := m.Counts
	for _, part := range []struct {
		name  string
		tally stream.Tally
	}{{"done", c.Done}, {"skipped", c.Skipped}, {"failed", c.Failed}, {"remaining", c.Remaining()}} {
		if part.tally == (stream.Tally{}) {
			continue
		}
		row(part.name, "%d of %s, %s stored, %s", part.tally.Objects, cli.Count(int(c.Listed.Objects), "object"), amount.Data(part.tally.Size), cli.Count(int(part.tally.Delivered), "record"))
	}
	if n := c.RecordsSkipped + c.RecordsTruncated; n > 0 {
		row("records", "%d left out, %d cut", c.RecordsSkipped, c.RecordsTruncated)
	}
	for _, e := range m.Open[:min(len(m.Open), mostShown)] {
		row("open", "%s: from record %d on, decoded offset %d%s", cli.Key(e.Key), e.Record, e.Decoded, decodedAgain(e))
	}
	if n := len(m.Open) - mostShown; n > 0 {
		row("open", "and %d more", n)
	}
	for _, e := range m.Failures[:min(len(m.Failures), mostShown)] {
		record := ""
		if e.Record != nil {
			record = fmt.Sprintf(" record %d", *e.Record)
		}
		row("failure", "%s%s: %s: %s", cli.Key(e.Key), record, e.Class, e.Error)
	}
	if n := len(m.Failures) - mostShown; n > 0 {
		row("failure", "and %d more", n)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// decodedAgain says how much of an object the next run decodes again.
func decodedAgain(e stream.ManifestEntry) string {
	if n := e.Decoded - e.PointDecoded; n > 0 {
		return fmt.Sprintf("; %s before it are decoded again", amount.Data(n))
	}
	return ""
}

// verifySource checks that a manifest is that of a source whose objects are as they
// were.
func verifySource(ctx context.Context, m *stream.Manifest, what string, console *cli.Console) error {
	src, err := cli.Open(ctx, what, console)
	if err != nil {
		return err
	}
	defer src.Store.Close()
	if m.Runs > 0 && src.Name != m.Job.Source {
		return fmt.Errorf("%w: its source is %s, here it is %s", stream.ErrOtherJob, m.Job.Source, src.Name)
	}
	changed := 0
	for i, e := range slices.All(m.Open) {
		console.Progress(fmt.Sprintf("%d of %s looked at", i, cli.Count(len(m.Open), "object")))
		obj, err := src.Store.Stat(ctx, e.Key)
		if err != nil {
			return err
		}
		if e.Version != "" && obj.Version != e.Version {
			console.Note("%s: was replaced, and is read again from its start", console.Object(e.Key))
			changed++
		}
	}
	if changed > 0 {
		return fmt.Errorf("%w: %s", blob.ErrChanged, cli.Count(changed, "object"))
	}
	return nil
}
