package main

import (
	"bytes"
	"context"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/thaw-go/thaw/stream"
)

var (
	kills   = flag.Int("kills", 50, "how often TestKills kills the program for each format")
	records = flag.Int("records", 200_000, "how many records it reads")
)

// A program that is killed again and again has each record once at the end.
func TestKills(t *testing.T) {
	for _, format := range []string{"ndjson", "csv"} {
		t.Run(format, func(t *testing.T) { killAgain(t, format) })
	}
}

func killAgain(t *testing.T, format string) {
	dsn := server(t)
	c := connect(t, dsn)
	execute(t, c, table)
	manifest := filepath.Join(t.TempDir(), "manifest.json")
	args := []string{"-dsn", dsn, "-table", "lines", "-columns", columns, "-frame", format, "-every", "50ms", "-lanes", "3",
		"-manifest", manifest, folder(t, *records, format)}
	rnd := rand.New(rand.NewPCG(1, 2))
	killed, ended, moved, between := 0, 0, 0, 0
	var last int64
	for killed < *kills {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(20+rnd.IntN(480))*time.Millisecond)
		cmd := program(ctx, args...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		err := cmd.Run()
		late := ctx.Err() != nil
		cancel()
		switch {
		case err != nil && late:
			killed++
			committed, saved := committed(t, c), saved(t, manifest)
			if committed > last {
				moved++
				if saved > 0 && committed > saved {
					between++
				}
			}
			last = committed
		case err != nil:
			t.Fatalf("%v\n%s", err, out.Bytes())
		default:
			// It has ended: from here on without the manifest, and then from the start.
			ended++
			os.Remove(manifest)
			if ended%2 == 0 {
				execute(t, c, `TRUNCATE lines, thaw_position`)
				last = 0
			}
		}
	}
	if out, err := program(t.Context(), args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	check(t, c, *records)
	t.Logf("killed %d times, %d of them after new rows and %d between rows and manifest; ended %d times before", killed, moved, between, ended)
	if *kills >= 50 && (moved == 0 || between == 0) {
		t.Error("no kill hit what is tested here")
	}
}

// committed is how many records the table has, headers included.
func committed(t *testing.T, c *pgx.Conn) (n int64) {
	t.Helper()
	var there bool
	if err := c.QueryRow(t.Context(), `SELECT to_regclass('thaw_position') IS NOT NULL`).Scan(&there); err != nil {
		t.Fatal(err)
	}
	if there {
		if err := c.QueryRow(t.Context(), `SELECT coalesce(sum(next), 0)::bigint FROM thaw_position`).Scan(&n); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// saved is how many the manifest has.
func saved(t *testing.T, manifest string) int64 {
	t.Helper()
	data, err := os.ReadFile(manifest)
	if err != nil || len(bytes.TrimSpace(data)) == 0 {
		return 0
	}
	m, err := stream.ParseManifest(data)
	if err != nil {
		t.Fatal(err)
	}
	return m.Counts.Delivered()
}

// Two runs at once: whatever becomes of them, each record is there once.
func TestTwoRuns(t *testing.T) {
	const n = 20_000
	dsn := server(t)
	c := connect(t, dsn)
	execute(t, c, table)
	args := []string{"-dsn", dsn, "-table", "lines", "-columns", columns, "-every", "5ms", folder(t, n, "ndjson")}
	for range 3 {
		done := make(chan []byte)
		for range 2 {
			go func() {
				out, _ := program(t.Context(), args...).CombinedOutput()
				done <- out
			}()
		}
		<-done
		<-done
		if out, err := program(t.Context(), args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		check(t, c, n)
		execute(t, c, `TRUNCATE lines, thaw_position`)
	}
}
