package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// The first commands of the README work as they are printed.
func TestReadme(t *testing.T) {
	dsn := server(t)
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	for line := range strings.Lines(string(text)) {
		command, ok := strings.CutPrefix(line, "    ")
		if ok {
			script.WriteString(command)
		} else if script.Len() > 0 {
			break
		}
	}
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", script.String())
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "PGHOST="+config.Host, "PGUSER="+config.User, "TMPDIR="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, script.String(), out)
	}
	c := connect(t, strings.Replace(dsn, "dbname=postgres", "dbname=logs", 1))
	var rows, ids int
	if err := c.QueryRow(t.Context(), `SELECT count(*), count(DISTINCT id) FROM lines WHERE doc->>'n' = id::text AND at IS NOT NULL`).Scan(&rows, &ids); err != nil {
		t.Fatal(err)
	}
	if rows != 1000 || ids != 1000 {
		t.Errorf("got %d rows with %d ids", rows, ids)
	}
}
