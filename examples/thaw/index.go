package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/codec/seek"
	"github.com/thaw-go/thaw/examples/internal/cli"
)

const indexUsage = `usage: %s [flags] WHAT...

Decodes objects to their end and writes an index of each beside it, under its key
and ".thawidx": places at which decoding can begin, with which thaw cat -offset
need not decode all that lies before. An index takes at most a 64th of the object,
or 64 KiB if that is more, and holds for the one version of it. It stops at the
first object that cannot be read to its end. Of that one nothing is written.

An object with no such place, since it is smaller than the spacing or its codec
offers none, gets no index, which is noted on stderr: without one, cat -offset
decodes from the start just as well; with -o one is written all the same. Nothing
but an older index is replaced.

A line is written for each index; with -json for each object {"key", "index",
"codec", "stored_bytes", "decoded_bytes", "points", "spacing_bytes", "index_bytes"},
without "index" where none is written. A key that is no UTF-8 stands in "key_base64", and its index is not
named.

Indexes that lie in a folder or match a glob are left out.

`

func index(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	const name = "thaw index"
	var f cli.Flags
	var spacing cli.Size
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	f.Decode(fs)
	fs.BoolVar(&f.JSON, "json", false, "a line of JSON for each index")
	fs.Var(&spacing, "spacing", "`SIZE` of decoded bytes between two places at least; default 4MiB")
	file := fs.String("o", "", "the index of one object goes to this `FILE`")
	whats, err := f.Parse(fs, args)
	if err == nil && len(whats) == 0 {
		err = errWhat
	}
	if err == nil && *file != "" && len(whats) > 1 {
		err = errOne
	}
	if err != nil {
		return cli.UsageError(name, indexUsage, fs, err, stdout, stderr)
	}
	defer f.LimitMemory()()
	i := &indexing{
		console: f.Console(name, stderr), w: stdout, json: f.JSON, file: *file,
		flags: &f, opts: f.Decoding(), spacing: int64(spacing),
	}
	i.console.Writes(stdout)
	if i.file != "" {
		if err := i.console.Target(i.file); err != nil {
			return i.console.Fail(err)
		}
	}
	stop := i.console.Watch()
	defer stop()
	for _, what := range whats {
		if err := i.source(ctx, what); err != nil {
			return i.console.Fail(err)
		}
	}
	return cli.OK
}

var errOne = errors.New("-offset, -length, -index and -o are for one object: name one")

// indexing is one run of index.
type indexing struct {
	console *cli.Console
	w       io.Writer
	json    bool
	file    string
	flags   *cli.Flags
	opts    codec.Options
	spacing int64
}

func (i *indexing) source(ctx context.Context, what string) error {
	over := eachRead
	if i.file != "" {
		over = single
	}
	return over(ctx, what, i.console, func(store *blob.Store, obj blob.Object) error {
		x, err := i.read(ctx, store, obj)
		if err != nil {
			return cli.Of(obj.Key, err)
		}
		return i.put(ctx, store, obj.Key, x)
	})
}

// read decodes an object and makes its index.
func (i *indexing) read(ctx context.Context, store *blob.Store, obj blob.Object) (*seek.Index, error) {
	rd, err := store.NewReader(ctx, obj.Key, &blob.ReaderOptions{Object: &obj})
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	obj = rd.Object()
	in := codec.NewInput(rd, 0)
	found, err := codec.Default().DetectInput(in, codec.Hints{
		Codec: i.flags.Codec, Key: obj.Key, ContentEncoding: obj.ContentEncoding,
	})
	if err != nil {
		return nil, err
	}
	if err := i.flags.Refuse(obj, found); err != nil {
		return nil, err
	}
	i.console.Conflicts(obj, found)
	d, err := codec.Default().Open(in, found, &i.opts)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	ix, err := seek.NewIndexer(d, found.Codec, &seek.IndexerOptions{Version: obj.Version, Spacing: i.spacing})
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(&progress{console: i.console, rd: rd, key: obj.Key}, ix); err != nil {
		return nil, err
	}
	return ix.Index()
}

// progress shows how much of the stored bytes was read, about once a second.
type progress struct {
	console *cli.Console
	rd      *blob.Reader
	key     string
	shown   time.Time
}

func (p *progress) Write(data []byte) (int, error) {
	if now := time.Now(); now.Sub(p.shown) >= time.Second {
		if size := p.rd.Object().Size; !p.shown.IsZero() && size > 0 {
			p.console.Progress(fmt.Sprintf("%3.0f %% · %s", 100*float64(p.rd.Offset())/float64(size), p.console.Object(p.key)))
		}
		p.shown = now
	}
	return len(data), nil
}
