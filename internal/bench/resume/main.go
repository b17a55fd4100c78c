// Command resume measures what a backfill reads again of one large object when it is
// killed near its end and started again: the stored bytes that the second run fetches,
// the decoded bytes that it decodes, and how many of these the first run had delivered.
// The first run is a process of its own that kills itself. The two runs together must
// deliver every record, which the command checks.
//
// It stages the objects with the tools gzip, bzip2 and xz, and writes a Markdown table.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/thaw-go/thaw/blob"
	_ "github.com/thaw-go/thaw/blob/filestore"
	"github.com/thaw-go/thaw/internal/bench/sample"
	"github.com/thaw-go/thaw/stream"
)

// savesBefore is how many saves of the manifest the first run waits for before it is
// killed: what is delivered between two of them depends on their interval alone.
const savesBefore = 3

// killAt names, for the process that is killed, the record at which it is.
const killAt = "THAW_BENCH_KILL"

// rig is what is measured, as the flags say.
type rig struct {
	dir    string
	stored int64   // bytes of an object at least
	at     float64 // share of the records after which the first run is killed
	every  time.Duration
}

// variant is one way to compress the object.
type variant struct {
	name    string
	command []string
	share   float64 // of the bytes asked for, where making them takes long
}

var variants = []variant{
	{"gzip, one member", []string{"gzip", "-c"}, 1},
	{"bzip2", []string{"bzip2", "-c"}, 0.25},
	{"xz, blocks of 24 MiB", []string{"xz", "-c", "-1", "--block-size=24MiB"}, 0.25},
}

func main() {
	var r rig
	flag.StringVar(&r.dir, "dir", filepath.Join(os.TempDir(), "thaw-bench-resume"), "where the objects are staged and kept")
	flag.Int64Var(&r.stored, "stored", 1<<30, "stored bytes of the gzip object at least; the others have a quarter")
	flag.Float64Var(&r.at, "at", 0.95, "share of the records after which the first run is killed")
	flag.DurationVar(&r.every, "every", 100*time.Millisecond, "interval of the manifest")
	only := flag.String("only", "", "measure only variants whose name begins so")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := r.run(ctx, *only); err != nil {
		fmt.Fprintln(os.Stderr, "resume:", err)
		os.Exit(1)
	}
}

func (r *rig) run(ctx context.Context, only string) error {
	if object, ok := os.LookupEnv("THAW_BENCH_OBJECT"); ok {
		var kill int64
		fmt.Sscan(os.Getenv(killAt), &kill)
		_, _, err := r.backfill(ctx, object, kill)
		return fmt.Errorf("the run ended before it was killed: %v", err)
	}
	fmt.Printf("# A backfill killed at %.0f %% of one object, and started again\n\n", 100*r.at)
	fmt.Printf("%s. Command: `go -C internal/bench run ./resume %s`. Manifest in a file, saved every %v. "+
		"The first run was killed once %d saves had followed that record. The second run goes on at the last one saved, and delivered all the rest.\n\n",
		sample.Machine(), strings.Join(os.Args[1:], " "), r.every, savesBefore)
	fmt.Println("| object | stored, MiB | decoded, MiB | fetched by the second run | decoded by the second run | of these decoded before | first record delivered again |")
	fmt.Println("|---|---|---|---|---|---|---|")
	for _, v := range variants {
		if !strings.HasPrefix(v.name, only) {
			continue
		}
		if err := r.measure(ctx, v); err != nil {
			return fmt.Errorf("%s: %w", v.name, err)
		}
	}
	return nil
}

// measure kills one run, lets a second one end, and writes a row.
func (r *rig) measure(ctx context.Context, v variant) error {
	object, records, decoded, err := r.stage(v)
	if err != nil {
		return err
	}
	manifest := manifestOf(object)
	if err := os.RemoveAll(manifest); err != nil {
		return err
	}
	kill := int64(r.at * float64(records))
	cmd := exec.CommandContext(ctx, os.Args[0], os.Args[1:]...)
	cmd.Env = append(os.Environ(), "THAW_BENCH_OBJECT="+object, fmt.Sprintf("%s=%d", killAt, kill))
	cmd.Stderr = os.Stderr
	err = cmd.Run()
	if s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !s.Signaled() || s.Signal() != syscall.SIGKILL {
		return fmt.Errorf("the first run was not killed: %v", err)
	}
	rep, first, err := r.backfill(ctx, object, -1)
	if err != nil {
		return err
	}
	if !rep.Complete() || first > kill+kill/20 || first+rep.Counts.Delivered() != records {
		return fmt.Errorf("the second run delivered %d records from %d on, complete: %v, want all of %d from about %d on",
			rep.Counts.Delivered(), first, rep.Complete(), records, kill)
	}
	info, err := os.Stat(object)
	if err != nil {
		return err
	}
	share := func(n, of int64) string { return fmt.Sprintf("%.2f %%", 100*float64(n)/float64(of)) }
	fmt.Printf("| %s | %d | %d | %s | %s | %s | %.2f %% |\n", v.name, info.Size()>>20, decoded>>20,
		share(rep.Requests.Received, info.Size()), share(rep.Counts.Decoded, decoded), share(rep.Counts.Redecoded, decoded), 100*float64(first)/float64(records))
	return nil
}

// manifestOf returns where the manifest of an object lies.
func manifestOf(object string) string { return object + ".manifest" }

// backfill reads the object, goes on where its manifest says, and kills the process
// before the record of index kill, if that is not negative. first is the index of the
// first record that was delivered.
func (r *rig) backfill(ctx context.Context, object string, kill int64) (rep *stream.Report, first int64, err error) {
	store, err := blob.Open(ctx, "file://"+filepath.ToSlash(filepath.Dir(object))+"/", nil)
	if err != nil {
		return nil, 0, err
	}
	defer store.Close()
	first = -1
	var saves atomic.Int64 // once the kill was due
	var due atomic.Bool
	sink := stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
		if first < 0 {
			first = b.FirstIndex()
		}
		if kill < 0 || b.FirstIndex()+int64(b.Len()) <= kill {
			return nil
		}
		// From here on the sink is slow: the manifest catches up.
		due.Store(true)
		if saves.Load() >= savesBefore {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		time.Sleep(r.every / 4)
		return nil
	})
	rep, err = stream.Backfill(ctx, blob.Keys(store, filepath.Base(object)), sink, &stream.Options{
		Lanes: 1, Checkpoint: stream.FileCheckpoint(manifestOf(object)), CheckpointEvery: r.every,
		Trace: &stream.Trace{Checkpoint: func(stream.CheckpointSave) {
			if due.Load() {
				saves.Add(1)
			}
		}},
	})
	return rep, first, err
}
