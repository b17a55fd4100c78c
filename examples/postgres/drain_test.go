package main

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream"
)

// A run that is asked to end commits what it has read and says so in the manifest: the next
// one repeats nothing.
func TestDrain(t *testing.T) {
	const n = 200_000
	dsn := server(t)
	c := connect(t, dsn)
	execute(t, c, table)
	manifest := filepath.Join(t.TempDir(), "manifest.json")
	dir := folder(t, n, "ndjson")
	// Rows are committed when a lane has many, but nothing goes to the manifest before the end.
	cmd := program(t.Context(), "-dsn", dsn, "-table", "lines", "-columns", columns, "-every", "1h", "-manifest", manifest, dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for committed(t, c) == 0 {
		time.Sleep(time.Millisecond) // another process
	}
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
	if !cmd.ProcessState.Exited() {
		t.Fatalf("%v", cmd.ProcessState)
	}
	committed, saved := committed(t, c), saved(t, manifest)
	if committed != saved || saved == n {
		t.Errorf("it ended with %d records in the table, and %d in the manifest, of %d", committed, saved, n)
	}

	src, err := blob.OpenSource(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Store.Close()
	sink, err := NewSink(t.Context(), SinkOptions{
		DSN: dsn, Table: `"public".lines`, Columns: strings.Split(columns, ","), Lanes: 4, ObjectName: src.Store.ObjectName,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	report, err := stream.Backfill(t.Context(), src, sink, &stream.Options{
		Read: stream.ReadOptions{Frame: "ndjson"}, Output: sink.Output(), Lanes: 4, Checkpoint: stream.FileCheckpoint(manifest),
	})
	if err != nil || !report.Complete() {
		t.Fatalf("%v\n%v", err, report)
	}
	if got := sink.Repeated(); got != 0 {
		t.Errorf("the next run repeated %d records", got)
	}
	check(t, c, n)
	var open int
	if err := c.QueryRow(t.Context(), `SELECT count(*) FROM thaw_position WHERE NOT done`).Scan(&open); err != nil || open != 0 {
		t.Errorf("%d objects are not done (%v)", open, err)
	}
}

// Shards write into one table, with more lanes than pools have connections by default.
func TestShards(t *testing.T) {
	const n = 20_000
	dsn := server(t)
	c := connect(t, dsn)
	execute(t, c, table)
	dir := folder(t, n, "csv")
	for _, shard := range []string{"0/2", "1/2"} {
		out, err := program(t.Context(), "-dsn", dsn, "-table", "lines", "-columns", columns, "-frame", "csv", "-lanes", "12",
			"-every", "1ms", "-shard", shard, dir).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	check(t, c, n)
}

// The manifest of one table says nothing about another.
func TestOtherTable(t *testing.T) {
	const n = 1000
	dsn := server(t)
	c := connect(t, dsn)
	execute(t, c, table+`; CREATE TABLE other (LIKE lines)`)
	args := []string{"-dsn", dsn, "-columns", columns, "-manifest", filepath.Join(t.TempDir(), "manifest.json"), folder(t, n, "ndjson"), "-table"}
	for _, tc := range []struct {
		table string
		good  bool
	}{{"lines", true}, {"other", false}, {"public.lines", true}} {
		if out, err := program(t.Context(), append(args, tc.table)...).CombinedOutput(); (err == nil) != tc.good {
			t.Errorf("%s: %v\n%s", tc.table, err, out)
		}
	}
	check(t, c, n)
}
