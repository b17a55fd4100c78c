package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/examples/internal/cli"
	"github.com/thaw-go/thaw/internal/amount"
)

const inspectUsage = `usage: %s [flags] WHAT...

Reports how objects are encoded, from their headers: codec and variant, members,
windows, declared sizes, checksums, and the memory that a reader needs. What lies
between headers is not looked at: only -decode proves that the data is whole. Of one
object it reports all; of several, a line each, and at the end the smallest reader
that can read all of them. Objects that cannot be inspected are named on stderr,
and the others are reported.

With -json each object is a line, {"key", "info", "error"}; the last line is
{"summary"}. A key that is no UTF-8 stands in "key_base64".

`

func inspect(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	const name = "thaw inspect"
	f := cli.Flags{Stdin: true}
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	f.Decode(fs)
	fs.BoolVar(&f.JSON, "json", false, "lines of JSON")
	decode := fs.Bool("decode", false, "decode everything too: verifies it, and finds members whose length is not stored")
	list := fs.Int("list", 0, "`N` entries of each list are kept; default 1000")
	whats, err := f.Parse(fs, args)
	if err == nil && len(whats) == 0 {
		err = errWhat
	}
	if err == nil && *list < 0 {
		err = errors.New("-list is not negative")
	}
	if err != nil {
		return cli.UsageError(name, inspectUsage, fs, err, stdout, stderr)
	}
	defer f.LimitMemory()()
	i := &inspecting{
		console: f.Console(name, stderr),
		w:       bufio.NewWriter(stdout),
		json:    f.JSON,
		flags:   &f,
		opts:    codec.InspectOptions{Codec: f.Codec, Decode: *decode, MaxWindow: f.Decoding().MaxWindow, Dictionaries: f.Dictionaries, List: *list},
	}
	i.console.Writes(stdout)
	stop := i.console.Watch()
	defer stop()
	for _, what := range whats {
		err := eachRead(ctx, what, i.console, func(store *blob.Store, obj blob.Object) error {
			return i.object(ctx, store, obj)
		})
		ferr := i.w.Flush()
		switch {
		case ferr != nil:
			return i.console.Fail(ferr)
		case err != nil:
			i.status = max(i.status, i.console.Fail(err))
		}
		if ctx.Err() != nil {
			return i.status
		}
	}
	if err := i.end(); err != nil {
		return i.console.Fail(err)
	}
	return i.status
}

// inspecting is one run of inspect.
type inspecting struct {
	console *cli.Console
	w       *bufio.Writer
	json    bool
	flags   *cli.Flags
	opts    codec.InspectOptions

	first   *inspected // held back: of the only one, all is reported
	count   int
	summary codec.Summary
	status  int
}

// inspected is an object as JSON.
type inspected struct {
	cli.Named
	Info  *codec.Info `json:"info,omitempty"`
	Error string      `json:"error,omitempty"`
}

// object inspects one. An error is one of the output; that of the object is
// reported and counted.
func (i *inspecting) object(ctx context.Context, store *blob.Store, obj blob.Object) error {
	i.console.Progress(fmt.Sprintf("%s · %s", cli.Count(i.count, "object"), i.console.Object(obj.Key)))
	info, err := i.read(ctx, store, obj)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	o := &inspected{Named: cli.NewNamed(i.console.Full(obj.Key)), Info: info}
	if info != nil {
		i.summary.Add(o.Name(), info)
	}
	if err == nil {
		err = i.flags.Refuse(obj, info.Detection)
	}
	if err != nil {
		err = cli.Of(obj.Key, err)
		o.Error = i.console.Line(err)
		i.summary.Fail()
		i.status = max(i.status, i.console.Fail(err))
	}
	i.count++
	switch {
	case i.json:
		return i.line(o)
	case i.count == 1:
		i.first = o
		return nil
	case i.count == 2:
		if _, err := fmt.Fprintf(i.w, "%12s  %12s  %10s  %10s  %-16s  %s\n", "stored", "decoded", "window", "memory", "codec", "key"); err != nil {
			return err
		}
		if err := i.row(i.first); err != nil {
			return err
		}
	}
	return i.row(o)
}

func (i *inspecting) read(ctx context.Context, store *blob.Store, obj blob.Object) (*codec.Info, error) {
	at := &objectAt{ctx: ctx, store: store, obj: obj}
	defer at.close()
	if err := at.open(0); err != nil {
		return nil, err
	}
	served := at.rd.Object()
	at.obj.Version = served.Version
	opts := i.opts
	opts.Key, opts.ContentEncoding = obj.Key, served.ContentEncoding
	opts.Range = objectRange
	return codec.Inspect(at, served.Size, &opts)
}

// row is a line about an object.
func (i *inspecting) row(o *inspected) error {
	info := o.Info
	if info == nil {
		return nil
	}
	decoded := "-"
	switch {
	case info.Decoded >= 0:
		decoded = amount.Data(info.Decoded)
	case info.Declared >= 0:
		decoded = amount.Data(info.Declared)
	}
	_, err := fmt.Fprintf(i.w, "%12s  %12s  %10s  %10s  %-16s  %s\n",
		amount.Data(info.Size), decoded, amount.Memory(info.Window), amount.Memory(info.Memory), info.Detection.Name(), shownKey(o.Name()))
	return err
}

func (i *inspecting) line(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = i.w.Write(append(b, '\n'))
	return err
}

// end reports the one object, or the summary of several.
func (i *inspecting) end() error {
	var err error
	switch {
	case i.json:
		err = i.line(struct {
			Summary *codec.Summary `json:"summary"`
		}{&i.summary})
	case i.count == 1 && i.first.Info != nil:
		_, err = fmt.Fprintf(i.w, "%-10s  %s\n%s", "key", shownKey(i.first.Name()), i.first.Info)
	case i.count > 1:
		_, err = fmt.Fprintf(i.w, "\n%s", &i.summary)
	}
	if ferr := i.w.Flush(); err == nil {
		err = ferr
	}
	return err
}
