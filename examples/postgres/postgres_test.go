package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/thaw-go/thaw/internal/testing/corpus"
)

var (
	kills   = flag.Int("kills", 50, "how often TestKills kills the program")
	records = flag.Int("records", 200_000, "how many records it reads")
)

const (
	table   = `CREATE TABLE lines (id bigint, name text, at timestamptz, ratio double precision, ok boolean, doc jsonb)`
	columns = "id:bigint,name:text,at:timestamptz,ratio:double,ok:boolean,doc:jsonb"
)

// TestMain runs the program itself where the test asks for it.
func TestMain(m *testing.M) {
	if os.Getenv("THAW_POSTGRES_CHILD") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// program is the program as a process.
func program(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), "THAW_POSTGRES_CHILD=1")
	return cmd
}

func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(context.Background()) })
	return c
}

// record is that of an id.
func record(id int) []byte {
	return fmt.Appendf(nil, `{"id":%d,"name":"name %d","at":"2026-01-02T03:04:05.%06dZ","ratio":%d.5,"ok":%v,"doc":{"a":[%d,null]},"more":1}`,
		id, id%97, id%1_000_000, id, id%3 == 0, id) // more is no column
}

// folder makes objects of n records in all, under several codecs.
func folder(t *testing.T, n int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	codecs := []struct{ codec, extension string }{
		{"gzip", ".gz"}, {"zstd", ".zst"}, {"lz4", ".lz4"}, {"snappy", ".sz"}, {"bzip2", ".bz2"}, {"none", ""},
	}
	const objects = 24
	for i := range objects {
		var data []byte
		for id := i * n / objects; id < (i+1)*n/objects; id++ {
			data = append(append(data, record(id)...), '\n')
		}
		c := codecs[i%len(codecs)]
		b, err := corpus.Encode(c.codec, data)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%02d.ndjson%s", i, c.extension)), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// check compares the table with the records, row for row.
func check(t *testing.T, c *pgx.Conn, n int) {
	t.Helper()
	rows, err := c.Query(t.Context(), `SELECT id, name, at, ratio, ok, doc::text FROM lines ORDER BY id`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	want := 0
	for ; rows.Next(); want++ {
		var id int
		var name, doc string
		var at time.Time
		var ratio float64
		var ok bool
		if err := rows.Scan(&id, &name, &at, &ratio, &ok, &doc); err != nil {
			t.Fatal(err)
		}
		doc = strings.ReplaceAll(doc, " ", "")
		got := fmt.Sprintf(`{"id":%d,"name":"%s","at":"%s","ratio":%v,"ok":%v,"doc":%s,"more":1}`,
			id, name, at.UTC().Format("2006-01-02T15:04:05.000000Z"), fmt.Sprintf("%.1f", ratio), ok, doc)
		if got != string(record(want)) {
			t.Fatalf("row %d: got %s, want %s", want, got, record(want))
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if want != n {
		t.Fatalf("got %d rows, want %d", want, n)
	}
}

// A program that is killed again and again has each record once at the end.
func TestKills(t *testing.T) {
	dsn := server(t)
	c := connect(t, dsn)
	if _, err := c.Exec(t.Context(), table); err != nil {
		t.Fatal(err)
	}
	dir := folder(t, *records)
	manifest := filepath.Join(t.TempDir(), "manifest.json")
	args := []string{"-dsn", dsn, "-table", "lines", "-columns", columns, "-every", "20ms", "-lanes", "3", "-manifest", manifest, dir}
	rnd := rand.New(rand.NewPCG(1, 2))
	killed, ended := 0, 0
	for killed < *kills {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(20+rnd.IntN(180))*time.Millisecond)
		cmd := program(ctx, args...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		err := cmd.Run()
		late := ctx.Err() != nil
		cancel()
		switch {
		case err != nil && late:
			killed++
		case err != nil:
			t.Fatalf("%v\n%s", err, out.Bytes())
		default:
			// It has ended: from here on without the manifest, and then from the start.
			ended++
			os.Remove(manifest)
			if ended%2 == 0 {
				if _, err := c.Exec(t.Context(), `TRUNCATE lines, thaw_position`); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if out, err := program(t.Context(), args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	check(t, c, *records)
	t.Logf("killed %d times, ended %d times before", killed, ended)
}

// Two runs at once: whatever becomes of them, each record is there once.
func TestTwoRuns(t *testing.T) {
	const n = 20_000
	dsn := server(t)
	c := connect(t, dsn)
	if _, err := c.Exec(t.Context(), table); err != nil {
		t.Fatal(err)
	}
	args := []string{"-dsn", dsn, "-table", "lines", "-columns", columns, "-every", "5ms", folder(t, n)}
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
		if _, err := c.Exec(t.Context(), `TRUNCATE lines, thaw_position`); err != nil {
			t.Fatal(err)
		}
	}
}

// A record that the table would refuse is left out, and all others are there. Without
// -max-bad it ends the run after the records before it.
func TestRefused(t *testing.T) {
	const n = 1000
	dsn := server(t)
	c := connect(t, dsn)
	bad := []string{
		`not JSON`, `[1]`, `null`, `{"id":"text"}`, `{"id":1e30}`, `{"id":1.5}`, `{"name":"nul \u0000"}`, `{"at":"yesterday"}`,
		`{"at":"2026-13-01T00:00:00Z"}`, `{"ratio":1e999}`, `{"ok":1}`, `{"doc":"\u0000"}`, `{"doc":1e400000}`, `{"doc":"\ud800"}`, `{"doc":{"\u0000":1}}`,
	}
	dir := t.TempDir()
	var data []byte
	for id := range n {
		data = append(append(data, record(id)...), '\n')
		if i := id - 100; i >= 0 && i < len(bad) {
			data = append(append(data, bad[i]...), '\n')
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "a.ndjson"), data, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		most string
		rows int
	}{{"0", 101}, {fmt.Sprint(len(bad)), n}} {
		if _, err := c.Exec(t.Context(), `DROP TABLE IF EXISTS lines, thaw_position; `+table); err != nil {
			t.Fatal(err)
		}
		out, err := program(t.Context(), "-dsn", dsn, "-table", "lines", "-columns", columns, "-frame", "lines", "-max-bad", tc.most, dir).CombinedOutput()
		if err == nil {
			t.Errorf("-max-bad %s: it ended well\n%s", tc.most, out)
		}
		check(t, c, tc.rows)
	}
}
