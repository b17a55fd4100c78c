package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/examples/internal/cli"
	"github.com/thaw-go/thaw/internal/amount"
	"github.com/thaw-go/thaw/stream"
)

const catUsage = `usage: %s [flags] WHAT...

Writes the decoded bytes of every object, one after the other, and stops at the
first that cannot be read to its end: what was decoded before is written. Indexes
that lie in a folder or match a glob are left out.

With -offset, -length or -index it writes a range of the decoded bytes of one object.
An index that thaw index made lists where decoding may begin; without one, all that
lies before the range is decoded. A range that is not all there is a failure. Of a
range that does not reach the end, only checksums that end in it or with it prove
anything.

`

func cat(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	const name = "thaw cat"
	f := cli.Flags{Stdin: true}
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	var part span
	f.Decode(fs)
	part.flags(fs.Func)
	whats, err := f.Parse(fs, args)
	if err == nil && len(whats) == 0 {
		err = errWhat
	}
	if err == nil && part.asked && len(whats) > 1 {
		err = errOne
	}
	if err != nil {
		return cli.UsageError(name, catUsage, fs, err, stdout, stderr)
	}
	defer f.LimitMemory()()
	c := &catting{console: f.Console(name, stderr), flags: &f, opts: f.Read(), span: part}
	c.opts.Pool = stream.NewPool(&stream.PoolOptions{Memory: int64(f.Memory)})
	c.console.Output(stdout)
	stop := c.console.Watch()
	defer stop()
	c.meter = &metered{w: stdout, console: c.console}
	read := c.source
	if part.asked {
		read = c.ranged
	}
	for _, what := range whats {
		if err := read(ctx, what); err != nil {
			return c.console.Fail(err)
		}
	}
	return cli.OK
}

var errWhat = errors.New("say what to read: a file, a folder, a glob or a URL")

// catting is one run of cat.
type catting struct {
	console *cli.Console
	meter   *metered
	flags   *cli.Flags
	opts    stream.ReadOptions
	span    span
}

func (c *catting) source(ctx context.Context, what string) error {
	return eachRead(ctx, what, c.console, func(store *blob.Store, obj blob.Object) error {
		rd, err := stream.Open(ctx, store, obj.Key, &stream.OpenOptions{Read: c.opts, Object: &obj})
		if err != nil {
			return err
		}
		defer rd.Close()
		c.console.Conflicts(rd.Object(), rd.Detection())
		c.meter.key = obj.Key
		_, err = rd.WriteTo(c.meter)
		c.console.Notes(rd.Object(), rd.Detection())
		return err
	})
}

// each opens what is named and calls do for its objects in order. That there is
// none is an error.
func each(ctx context.Context, what string, console *cli.Console, do func(*blob.Store, blob.Object) error) error {
	src, err := cli.Open(ctx, what, console)
	if err != nil {
		return err
	}
	defer src.Store.Close()
	empty := true
	for obj, err := range src.Objects(ctx, blob.Mark{}) {
		if err != nil {
			return err
		}
		empty = false
		if err := do(src.Store, obj); err != nil {
			return err
		}
	}
	if empty {
		return cli.Nothing(src.Name)
	}
	return nil
}

// eachRead is each without indexes and folder markers, like a job. That nothing else is
// there is an error too.
func eachRead(ctx context.Context, what string, console *cli.Console, do func(*blob.Store, blob.Object) error) error {
	name, empty := "", true
	err := each(ctx, what, console, func(store *blob.Store, obj blob.Object) error {
		name = store.Name()
		if cli.IsIndex(what, obj.Key) || obj.IsFolder() {
			return nil
		}
		empty = false
		return do(store, obj)
	})
	if err == nil && empty {
		return cli.Nothing(name)
	}
	return err
}

// single opens what is named and calls do for its one object. That there are more
// is an error.
func single(ctx context.Context, what string, console *cli.Console, do func(*blob.Store, blob.Object) error) error {
	src, err := cli.Open(ctx, what, console)
	if err != nil {
		return err
	}
	defer src.Store.Close()
	var found []blob.Object
	for obj, err := range src.Objects(ctx, blob.Mark{}) {
		switch {
		case err != nil:
			return err
		case cli.IsIndex(what, obj.Key):
		case len(found) > 0:
			return fmt.Errorf("%s: %w", src.Name, errOne)
		default:
			found = append(found, obj)
		}
	}
	if len(found) == 0 {
		return cli.Nothing(src.Name)
	}
	return do(src.Store, found[0])
}

// metered shows how much was written, about once a second.
type metered struct {
	w       io.Writer
	console *cli.Console
	key     string
	total   int64
	start   time.Time
	shown   time.Time
}

func (m *metered) Write(p []byte) (int, error) {
	n, err := m.w.Write(p)
	m.total += int64(n)
	if now := time.Now(); now.Sub(m.shown) >= time.Second {
		if m.start.IsZero() {
			m.start = now
		} else {
			m.console.Progress(fmt.Sprintf("%s · %s in %s", m.console.Object(m.key), amount.Data(m.total), now.Sub(m.start).Round(time.Second)))
		}
		m.shown = now
	}
	if _, named := errors.AsType[*fs.PathError](err); err != nil && !named {
		err = fmt.Errorf("write: %w", err)
	}
	return n, err
}
