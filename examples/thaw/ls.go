package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/examples/internal/cli"
)

const lsUsage = `usage: %s [flags] WHAT...

Lists objects in byte order of their keys: stored size in bytes, time of the last
change, key; with -l the version before the key. With -json each is a line {"key",
"size_bytes", "version", "time"}; a key that is no UTF-8 stands in "key_base64", and
a time that JSON cannot hold, after the year 9999, is left out.

A key is the object's whole name, as it would be written as an argument. That nothing
is there is a failure; of several arguments, the others are listed.

`

func ls(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	const name = "thaw ls"
	var f cli.Flags
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.BoolVar(&f.JSON, "json", false, "a line of JSON for each object")
	f.Select(fs)
	long := fs.Bool("l", false, "with versions")
	whats, err := f.Parse(fs, args)
	if err == nil && len(whats) == 0 {
		err = errWhat
	}
	if err != nil {
		return cli.UsageError(name, lsUsage, fs, err, stdout, stderr)
	}
	console := f.Console(name, stderr)
	console.Output(stdout)
	stop := console.Watch()
	defer stop()
	w := bufio.NewWriter(stdout)
	status := cli.OK
	for _, what := range whats {
		err := each(ctx, what, console, func(store *blob.Store, obj blob.Object) error {
			if obj.Size < 0 { // the source named it without a look, or could not look at it
				stat, err := store.Stat(ctx, obj.Key)
				if err != nil && ctx.Err() == nil {
					w.Flush()
					status = max(status, console.Fail(err))
					return nil
				}
				if err != nil {
					return err
				}
				obj = stat
			}
			obj.Key = console.Full(obj.Key)
			return writeObject(w, obj, f.JSON, *long)
		})
		ferr := w.Flush()
		switch {
		case ferr != nil:
			return console.Fail(ferr)
		case err != nil:
			status = max(status, console.Fail(err))
		}
		if ctx.Err() != nil {
			return status
		}
	}
	return status
}

// object is an object as JSON.
type object struct {
	cli.Named
	Size    int64      `json:"size_bytes"`
	Version string     `json:"version,omitempty"`
	Time    *time.Time `json:"time,omitempty"`
}

func writeObject(w io.Writer, obj blob.Object, asJSON, long bool) error {
	if !asJSON {
		when := "-"
		if !obj.ModTime.IsZero() {
			when = obj.ModTime.UTC().Format(time.RFC3339)
		}
		version := ""
		if long {
			version = fmt.Sprintf("%-38s  ", cmp.Or(obj.Version, "-"))
		}
		_, err := fmt.Fprintf(w, "%12d  %-20s  %s%s\n", obj.Size, when, version, shownKey(obj.Key))
		return err
	}
	o := object{Named: cli.NewNamed(obj.Key), Size: obj.Size, Version: obj.Version}
	if t := obj.ModTime.UTC(); !t.IsZero() && 0 <= t.Year() && t.Year() <= 9999 { // the years of RFC 3339
		o.Time = &t
	}
	line, err := json.Marshal(o)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// shownKey is a key on one line.
func shownKey(key string) string {
	if q := fmt.Sprintf("%q", key); len(q) != len(key)+2 {
		return q
	}
	return key
}
