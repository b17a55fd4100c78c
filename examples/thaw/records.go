package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"io"
	"unicode/utf8"

	"github.com/thaw-go/thaw/examples/internal/cli"
	"github.com/thaw-go/thaw/stream"
)

const recordsUsage = `usage: %s [flags] WHAT...

Writes the records of every object in order, the data of each followed by a line
end. With -json each is a line {"key", "index", "decoded_offset", "size_bytes",
"data"}: index counts from 0 in its object, decoded_offset is where the record and
what frames it begin in the decoded bytes, size_bytes is the size of data. Data that
is no UTF-8 has no place in a JSON string: "data_base64" stands for "data" then, and
holds its bytes in base64; "key_base64" for a key likewise. A key is the object's
whole name, as it would be written as an argument.

Which framer was chosen, and why, is written to stderr, once for each, unless -frame
names it.

`

func records(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	const name = "thaw records"
	f := cli.Flags{Stdin: true}
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	f.Decode(fs)
	f.Records(fs)
	fs.BoolVar(&f.JSON, "json", false, "a line of JSON for each record")
	whats, err := f.Parse(fs, args)
	if err == nil && len(whats) == 0 {
		err = errWhat
	}
	if err != nil {
		return cli.UsageError(name, recordsUsage, fs, err, stdout, stderr)
	}
	defer f.LimitMemory()()
	console := f.Console(name, stderr)
	console.Output(stdout)
	stop := console.Watch()
	defer stop()
	opts, err := f.Job(console)
	if err != nil {
		return console.Fail(err)
	}
	opts.Lanes = 1 // records in order
	out := newPrinter(console, stdout, f.JSON)
	opts.Trace = console.Trace()
	if f.Frame == "" {
		opts.Trace = stream.JoinTraces(opts.Trace, &stream.Trace{ObjectStart: out.noteFramer})
	}
	status := cli.OK
	for _, what := range whats {
		report, err := out.source(ctx, what, opts)
		if err != nil {
			status = console.Fail(err)
			break
		}
		if err := cli.Incomplete(report); err != nil {
			status = console.Fail(err)
		}
	}
	if err := f.Close(); err != nil {
		status = console.Fail(err)
	}
	return status
}

// printer writes records. One lane uses it.
type printer struct {
	console *cli.Console
	w       *bufio.Writer
	json    *json.Encoder // into w; nil for the data alone
	line    line
	key     string          // of the object last written
	object  cli.Named       // how lines name it
	noted   map[string]bool // framers
}

func newPrinter(console *cli.Console, stdout io.Writer, asJSON bool) *printer {
	p := &printer{console: console, w: bufio.NewWriterSize(stdout, 64<<10), noted: map[string]bool{}}
	if asJSON {
		p.json = json.NewEncoder(p.w)
		p.json.SetEscapeHTML(false)
	}
	return p
}

// noteFramer notes the framer of an object, and why it was chosen, once.
func (p *printer) noteFramer(e stream.ObjectStart) {
	if !p.noted[e.Framer] {
		p.noted[e.Framer] = true
		p.console.Note("%s: cut into records as %s", p.console.Object(e.Object.Key), e.Framer)
	}
}

// source writes the records of what is named.
func (p *printer) source(ctx context.Context, what string, opts *stream.Options) (*stream.Report, error) {
	src, err := cli.Open(ctx, what, p.console)
	if err != nil {
		return nil, err
	}
	p.object = cli.Named{}
	defer src.Store.Close()
	report, err := stream.Backfill(ctx, src, stream.SinkFunc(p.write), opts)
	if ferr := p.w.Flush(); err == nil {
		err = ferr
	}
	if err == nil && cli.Empty(report) {
		err = cli.Nothing(src.Name)
	}
	return report, err
}

func (p *printer) write(_ context.Context, b *stream.Batch) error {
	key := p.named(b.Object().Key)
	for rec := range b.All() {
		if p.json != nil {
			p.line.set(key, rec)
			if err := p.json.Encode(&p.line); err != nil {
				return err
			}
			continue
		}
		p.w.Write(rec.Data)
		if err := p.w.WriteByte('\n'); err != nil {
			return err
		}
	}
	return nil
}

// named returns how lines name an object. Batches of one object come in a row.
func (p *printer) named(key string) cli.Named {
	if p.json != nil && (key != p.key || p.object.Key == nil && p.object.KeyBase64 == nil) {
		p.key, p.object = key, cli.NewNamed(p.console.Full(key))
	}
	return p.object
}

// line is a record as JSON.
type line struct {
	cli.Named
	Index      int64   `json:"index"`
	Offset     int64   `json:"decoded_offset"`
	Size       int     `json:"size_bytes"`
	Data       *string `json:"data,omitempty"`
	DataBase64 []byte  `json:"data_base64,omitempty"`
}

// set makes l the line of a record.
func (l *line) set(key cli.Named, rec stream.Record) {
	*l = line{Named: key, Index: rec.Index, Offset: rec.Offset, Size: len(rec.Data)}
	if utf8.Valid(rec.Data) {
		data := string(rec.Data)
		l.Data = &data
	} else {
		l.DataBase64 = rec.Data
	}
}
