package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"time"
	"unicode/utf8"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/filestore"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/examples/internal/cli"
)

const indexUsage = `usage: %s [flags] WHAT...

Decodes objects to their end and writes an index of each beside it, under its key
and ".thawidx": places at which decoding can begin, with which thaw cat -offset
need not decode all that lies before. An index takes at most a 64th of the object,
or 64 KiB if that is more, and holds for the one version of it. It stops at the
first object that cannot be read to its end. Of that one nothing is written.

A line is written for each index; with -json {"key", "index", "codec", "stored",
"decoded", "points", "spacing", "size"}. A key that is no UTF-8 stands in
"key_base64", and its index is not named.

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
		console: cli.NewConsole(name, stderr, f.Quiet), w: stdout, json: f.JSON, file: *file,
		codec: f.Codec, opts: codec.Options{MaxWindow: maxWindow(&f)}, spacing: int64(spacing),
	}
	defer i.console.Done()
	for _, what := range whats {
		if err := i.source(ctx, what); err != nil {
			return i.console.Fail(err)
		}
	}
	return cli.OK
}

var errOne = errors.New("that is for one object: name one")

// maxWindow is -max-window, and half of -memory at most.
func maxWindow(f *cli.Flags) int64 {
	w := int64(f.MaxWindow)
	if w == 0 {
		w = codec.DefaultMaxWindow
	}
	if f.Memory > 0 {
		w = min(w, int64(f.Memory)/2)
	}
	return w
}

// indexing is one run of index.
type indexing struct {
	console *cli.Console
	w       io.Writer
	json    bool
	file    string
	codec   string
	opts    codec.Options
	spacing int64
}

func (i *indexing) source(ctx context.Context, what string) error {
	over := each
	if i.file != "" {
		over = single
	}
	return over(ctx, what, i.console, func(store *blob.Store, obj blob.Object) error {
		if cli.IsIndex(what, obj.Key) {
			return nil
		}
		x, err := i.read(ctx, store, obj)
		if err != nil {
			return cli.Of(obj.Key, err)
		}
		return i.put(ctx, store, obj.Key, x)
	})
}

// read decodes an object and makes its index.
func (i *indexing) read(ctx context.Context, store *blob.Store, obj blob.Object) (*codec.Index, error) {
	rd, err := store.NewReader(ctx, obj.Key, &blob.ReaderOptions{Version: obj.Version})
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	obj = rd.Object()
	in := codec.NewInput(rd, 0)
	head, err := in.Peek(codec.HeadSize)
	if err != nil && err != io.EOF {
		return nil, err
	}
	found, err := codec.Default().Detect(head, err == io.EOF, codec.Hints{
		Codec: i.codec, Key: obj.Key, ContentEncoding: obj.ContentEncoding,
	})
	if err != nil {
		return nil, err
	}
	i.console.Conflicts(obj, found)
	d, err := codec.Default().Open(in, found, &i.opts)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	ix, err := codec.NewIndexer(d, found.Codec, &codec.IndexOptions{Version: obj.Version, Spacing: i.spacing})
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(&progress{console: i.console, rd: rd, key: obj.Key}, ix); err != nil {
		return nil, err
	}
	return ix.Index()
}

// put writes an index and tells so. Nobody sees a part of one: a Put is atomic.
func (i *indexing) put(ctx context.Context, store *blob.Store, key string, x *codec.Index) error {
	form, err := x.AppendBinary(nil)
	if err != nil {
		return err
	}
	to, name := key+codec.IndexExtension, ""
	if i.file == "" {
		name = i.console.Object(to)
	} else {
		if store, err = filestore.Open(filepath.Dir(i.file)); err != nil {
			return err
		}
		defer store.Close()
		to, name = filepath.Base(i.file), i.file
	}
	if _, err := store.Put(ctx, to, bytes.NewReader(form), int64(len(form)), nil); err != nil {
		return err
	}
	if x.Len() == 0 && x.Decoded > x.Spacing {
		i.console.Note("%s: %s offers no place to begin at in it: every read decodes from the start", i.console.Object(key), x.Codec)
	}
	return i.tell(key, name, x, len(form))
}

// told is an index as JSON.
type told struct {
	Key       *string `json:"key,omitempty"`
	KeyBase64 []byte  `json:"key_base64,omitempty"`
	Index     string  `json:"index,omitempty"`
	Codec     string  `json:"codec"`
	Stored    int64   `json:"stored"`
	Decoded   int64   `json:"decoded"`
	Points    int     `json:"points"`
	Spacing   int64   `json:"spacing"`
	Size      int     `json:"size"`
}

func (i *indexing) tell(key, name string, x *codec.Index, size int) error {
	if !i.json {
		_, err := fmt.Fprintf(i.w, "%s  %s: %d places, %s apart or more, in %s decoded\n",
			name, cli.Binary(int64(size)), x.Len(), cli.Binary(x.Spacing), cli.Binary(x.Decoded))
		return err
	}
	t := told{Codec: x.Codec, Stored: x.Stored, Decoded: x.Decoded, Points: x.Len(), Spacing: x.Spacing, Size: size}
	if utf8.ValidString(key) {
		t.Key, t.Index = &key, name
	} else {
		t.KeyBase64 = []byte(key)
	}
	line, err := json.Marshal(t)
	if err != nil {
		return err
	}
	_, err = i.w.Write(append(line, '\n'))
	return err
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
