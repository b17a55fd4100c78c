package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// thaw redrive delivers what thaw backfill has quarantined, once it can be read, and writes
// what fails again to another quarantine.
func TestRedriveVerb(t *testing.T) {
	t.Parallel()
	dir := folder(t, [3]string{"src/a.json", "none", "{\"i\":1}\n{bad\n{\"i\":3}\n"}, [3]string{"src/b.ndjson.gz", "gzip", "{\"i\":4}\n"}, [3]string{"src/x/c.ndjson", "none", "{\"i\":5}\n{\"i\":6}\n"},
		[3]string{"long/a.ndjson", "none", "1\n\"this one is too long for it\"\n3\n"})
	in := func(name string) string { return filepath.Join(dir, name) }
	gz, err := os.ReadFile(in("src/b.ndjson.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(in("src/b.ndjson.gz"), gz[:len(gz)-4], 0o666); err != nil {
		t.Fatal(err)
	}
	// What a killed run had begun to write.
	if err := os.WriteFile(in("q"), []byte(`{"key":"a.json","cla`), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(in("page"), []byte("<html>\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		args   []string
		status int
		want   string // in stdout or stderr
	}{
		{"the backfill", []string{"backfill", "-lanes", "1", "-to", "stdout", "-on-error", "quarantine=" + in("q"), in("src")}, 1, "{\"i\":1}\n{\"i\":3}\n{\"i\":4}\n{\"i\":5}\n"},
		{"what fails again", []string{"redrive", "-to", "stdout", "-on-error", "quarantine=" + in("q2"), in("q"), in("src")}, 1, "1 of 2 objects"},
		{"stops without -on-error", []string{"redrive", in("q"), in("src")}, 1, "NOT COMPLETE"},
		{"no quarantine there", []string{"redrive", in("none"), in("src")}, 1, "none"},
		{"another file", []string{"redrive", in("page"), in("src")}, 1, "no entry"},
		{"no source", []string{"redrive", in("q")}, 2, "say which quarantine"},
		{"a flag of backfill alone", []string{"redrive", "-after", "delete", in("q"), in("src")}, 2, "-after"},
		{"the same quarantine", []string{"redrive", "-on-error", "quarantine=" + in("q"), in("q"), in("src")}, 2, "name one file"},
		{"a record over the limit", []string{"backfill", "-q", "-max-record", "20", "-on-error", "quarantine=" + in("long.q"), in("long")}, 1, "NOT COMPLETE"},
		{"with another limit", []string{"redrive", "-to", "stdout", in("long.q"), in("long")}, 0, "\"this one is too long for it\"\n"},
		{"alone", []string{"redrive", "-report", in("r.json"), "-manifest", in("m.json"), in("long.q"), in("long")}, 0, "listed               1"},
		{"and once", []string{"redrive", "-manifest", in("m.json"), in("long.q"), in("long")}, 0, "earlier runs did 1 object and 1 record"},
		{"help", []string{"redrive", "-h"}, 0, "QUARANTINE SOURCE"},
	} {
		status, stdout, stderr := call(t, tt.args...)
		if status != tt.status || !strings.Contains(stdout+stderr, tt.want) {
			t.Errorf("%s: got status %d, %q and %q, want %d and %q", tt.name, status, stdout, stderr, tt.status, tt.want)
		}
	}
	for _, name := range []string{"q", "q2"} {
		data, err := os.ReadFile(in(name))
		if n := bytes.Count(data, []byte(`"error"`)); err != nil || n != 2 {
			t.Errorf("%s: got %d entries, want 2, in %s", name, n, data)
		}
	}
}
