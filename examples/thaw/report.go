package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/thaw-go/thaw/examples/internal/cli"
	"github.com/thaw-go/thaw/internal/amount"
	"github.com/thaw-go/thaw/stream"
)

const reportUsage = `usage: %s merge REPORT...

Reads the reports of the shards of one backfill, which thaw backfill -report or -json
wrote to files or objects, and checks that together they read everything: every shard
has a report, and each read all of its part. It writes a line for each shard and the
sums. Of several reports of one shard, as of a run that was stopped and the one that
continued it, the complete one counts, or else the last named.

The exit status is 0 only if all shards are there and complete.

`

func report(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	const name = "thaw report"
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	args, err := new(cli.Flags).Parse(fs, args)
	switch {
	case err != nil:
	case len(args) == 0 || args[0] != "merge":
		err = errors.New("say merge, and the files of the reports")
	case len(args) == 1:
		err = errors.New("say which reports: files or objects that thaw backfill -report wrote")
	}
	if err != nil {
		return cli.UsageError(name, reportUsage, fs, err, stdout, stderr)
	}
	console := cli.NewConsole(name, stderr, false)
	console.Writes(stdout)
	m, err := mergeReports(ctx, args[1:], console)
	if err != nil {
		return console.Fail(err)
	}
	if _, err := io.WriteString(stdout, m.text()); err != nil {
		return console.Fail(err)
	}
	if err := m.incomplete(); err != nil {
		return console.Fail(err)
	}
	return cli.OK
}

// shardReport is the report of one shard.
type shardReport struct {
	File     string
	Complete bool `json:"complete"`
	stream.Report
}

// merged are the reports of the shards of one source.
type merged struct {
	source string
	n      int
	shards map[int]*shardReport
}

// shardName is how blob.Shard names a part.
var shardName = regexp.MustCompile(`^(.*) shard (\d+)/(\d+)("?)$`)

// mergeReports reads reports, which must be those of shards of one source.
func mergeReports(ctx context.Context, files []string, console *cli.Console) (*merged, error) {
	m := &merged{shards: map[int]*shardReport{}}
	for _, file := range files {
		data, err := readWhole(ctx, file, console)
		if err != nil {
			return nil, err
		}
		r := &shardReport{File: file}
		if err := json.Unmarshal(data, r); err != nil || r.Source == "" {
			return nil, fmt.Errorf("%s: not a report of thaw backfill: %w", file, cmp.Or(err, errors.New("it names no source")))
		}
		parts := shardName.FindStringSubmatch(r.Source)
		if parts == nil {
			return nil, fmt.Errorf("%s: a report of all of %s, not of a shard", file, r.Source)
		}
		source := parts[1] + parts[4]
		i, _ := strconv.Atoi(parts[2])
		n, _ := strconv.Atoi(parts[3])
		switch {
		case m.n == 0:
			m.source, m.n = source, n
		case m.source != source:
			return nil, fmt.Errorf("%s: a shard of %s, the others are of %s", file, source, m.source)
		case m.n != n:
			return nil, fmt.Errorf("%s: shard %d of %d, the others are of %d: their parts are not disjoint", file, i, n, m.n)
		}
		if old := m.shards[i]; old == nil || !old.Complete {
			m.shards[i] = r
		}
	}
	return m, nil
}

// readWhole returns the bytes of a file or an object.
func readWhole(ctx context.Context, what string, console *cli.Console) ([]byte, error) {
	store, key, err := cli.At(ctx, what, console)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	console.Reads(what, store)
	r, err := store.NewReader(ctx, key, nil)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// all returns what became of the objects of a shard in all its runs.
func (r *shardReport) all() (objects, done, bytes, delivered int64) {
	c, e := r.Counts, r.Earlier
	return c.Listed.Objects + e.Listed.Objects, c.Done.Objects + e.Done.Objects,
		c.Done.Size + e.Done.Size, c.Delivered() + e.Delivered()
}

func (m *merged) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in %s\n\n%5s %10s %10s %10s %12s\n", m.source, cli.Count(m.n, "shard"), "shard", "objects", "done", "stored", "delivered")
	var sum [4]int64
	for i := range m.n {
		r := m.shards[i]
		if r == nil {
			fmt.Fprintf(&b, "%5d  no report\n", i)
			continue
		}
		objects, done, bytes, delivered := r.all()
		for j, n := range []int64{objects, done, bytes, delivered} {
			sum[j] += n
		}
		note := ""
		if !r.Complete {
			note = "  NOT COMPLETE"
			if r.Error != "" {
				note += ": " + r.Error
			}
		}
		fmt.Fprintf(&b, "%5d %10d %10d %10s %12d%s\n", i, objects, done, amount.Data(bytes), delivered, note)
	}
	fmt.Fprintf(&b, "%5s %10d %10d %10s %12d\n\n", "all", sum[0], sum[1], amount.Data(sum[2]), sum[3])
	if m.incomplete() == nil {
		b.WriteString("COMPLETE: every shard read its part to its proven end\n")
	} else {
		b.WriteString("NOT COMPLETE\n")
	}
	return b.String()
}

// incomplete names the shards that are missing or not complete.
func (m *merged) incomplete() error {
	var missing, partly []string
	for i := range m.n {
		switch r := m.shards[i]; {
		case r == nil:
			missing = append(missing, strconv.Itoa(i))
		case !r.Complete:
			partly = append(partly, strconv.Itoa(i))
		}
	}
	var parts []string
	for _, p := range []struct {
		shards []string
		is     string
	}{{missing, "no report"}, {partly, "not complete"}} {
		if slices.Sort(p.shards); len(p.shards) > 0 {
			parts = append(parts, fmt.Sprintf("%s of shard %s of %d", p.is, strings.Join(p.shards, ", "), m.n))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return errors.New(strings.Join(parts, "; "))
}
