package frame_test

import (
	"strings"
	"testing"

	"github.com/thaw-go/thaw/frame"
)

func TestLookup(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, want, err string }{
		{"lines", "lines", ""},
		{"ndjson", "ndjson", ""},
		{"delim:0D0A", "delim:0d0a", ""},
		{"delim:", "", "1 to 64"},
		{"delim:0", "", "odd length"},
		{"delim:" + strings.Repeat("00", 65), "", "1 to 64"},
		{"", "", "known: "},
		{"nosuch", "", "known: lines ndjson"},
	} {
		f, err := frame.Default().Lookup(c.name)
		if c.err == "" && (err != nil || f.Name != c.want || f.New == nil) {
			t.Errorf("Lookup(%q): got %q, %v, want %q", c.name, f.Name, err, c.want)
		}
		if c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("Lookup(%q): got error %v, want one with %q", c.name, err, c.err)
		}
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	own := frame.Default().Clone()
	xml := frame.FromSplitFunc("xml", commas)
	xml.Extensions = []string{".xml", ".ndjson"}
	own.Register(xml)
	for _, c := range []struct {
		registry       *frame.Registry
		name, ext      string
		framer, reason string
	}{
		{frame.Default(), "", ".ndjson", "ndjson", "extension .ndjson"},
		{frame.Default(), "", ".JSONL", "ndjson", "extension .jsonl"},
		{frame.Default(), "", "", "lines", "default"},
		{frame.Default(), "", ".csv", "csv", "extension .csv"},
		{frame.Default(), "", ".bin", "lines", "default"},
		{frame.Default(), "", ".parquet", "lines", "default: extension .parquet names parquet, which is not registered"},
		{frame.Default(), "delim:00", ".ndjson", "delim:00", "explicit"},
		{own, "", ".xml", "xml", "extension .xml"},
		{own, "", ".ndjson", "xml", "extension .ndjson"},
		{&frame.Registry{}, "", ".ndjson", "lines", "default"},
	} {
		got, err := c.registry.Choose(c.name, c.ext)
		if err != nil || got.Framer.Name != c.framer || got.Reason != c.reason {
			t.Errorf("Choose(%q, %q): got %s because %q, %v, want %s because %q",
				c.name, c.ext, got.Framer.Name, got.Reason, err, c.framer, c.reason)
		}
	}
	if _, err := frame.Default().Choose("nosuch", ".ndjson"); err == nil {
		t.Error("an unknown name: got no error, want one")
	}
}

func TestRegister(t *testing.T) {
	t.Parallel()
	r := frame.Default().Clone()
	f := lookup(t, "lines")
	f.Extensions = nil
	r.Register(f)
	if got := strings.Count(strings.Join(r.Names(), " ")+" ", "lines "); got != 1 {
		t.Errorf("names after replacing lines: got %d times lines, want 1", got)
	}
	for what, call := range map[string]func(){
		"no name": func() { r.Register(frame.Framer{New: f.New}) },
		"no New":  func() { r.Register(frame.Framer{Name: "x"}) },
		"default": func() { frame.Default().Register(f) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Register, %s: got no panic, want one", what)
				}
			}()
			call()
		}()
	}
}
