package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/thaw-go/thaw/internal/testing/corpus"
)

const (
	table   = `CREATE TABLE lines (id bigint NOT NULL, name text, at timestamptz, ratio double precision, ok boolean, doc jsonb)`
	columns = "id,name,at,ratio,ok,doc"
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

func execute(t *testing.T, c *pgx.Conn, sql string) {
	t.Helper()
	if _, err := c.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

// record is that of an id. The table has no column for more.
func record(id int) []byte {
	return fmt.Appendf(nil, `{"id":%d,"name":"name %d","at":"2026-01-02T03:04:05.%06dZ","ratio":%d.5,"ok":%v,"doc":{"a":[%d,null]},"more":1}`,
		id, id%97, id%1_000_000, id, id%3 == 0, id)
}

// csvRecord is the same in CSV, in another order.
func csvRecord(id int) []byte {
	return fmt.Appendf(nil, `1,"{""a"":[%d,null]}",%v,name %d,%d,%d.5,2026-01-02T03:04:05.%06dZ`,
		id, id%3 == 0, id%97, id, id, id%1_000_000)
}

const csvHeader = "\ufeffmore,doc,ok,\"name\",id,ratio,at"

// folder makes objects of n records in all, under several codecs.
func folder(t *testing.T, n int, format string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	codecs := []struct{ codec, extension string }{
		{"gzip", ".gz"}, {"zstd", ".zst"}, {"lz4", ".lz4"}, {"snappy", ".sz"}, {"bzip2", ".bz2"}, {"none", ""},
	}
	const objects = 24
	for i := range objects {
		var data []byte
		make := record
		if format == "csv" {
			make, data = csvRecord, []byte(csvHeader+"\r\n")
		}
		for id := i * n / objects; id < (i+1)*n/objects; id++ {
			data = append(append(data, make(id)...), '\n')
		}
		c := codecs[i%len(codecs)]
		b, err := corpus.Encode(c.codec, data)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, fmt.Sprintf("%02d.%s%s", i, format, c.extension)), b)
	}
	return dir
}

func write(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
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
