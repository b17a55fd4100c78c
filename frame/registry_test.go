package frame_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/frame"
)

func TestLookup(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why, name string
		want      string // empty: an error
	}{
		{"a name", "lines", "lines"},
		{"another", "ndjson", "ndjson"},
		{"a parameter", "delim:0D0A", "delim:0d0a"},
		{"no separator", "delim:", ""},
		{"half a byte", "delim:0", ""},
		{"65 bytes", "delim:" + strings.Repeat("00", 65), ""},
		{"no name", "", ""},
		{"an unknown name", "nosuch", ""},
	} {
		f, err := frame.Default().Lookup(c.name)
		switch {
		case c.want == "" && !errors.Is(err, frame.ErrUnsupported):
			t.Errorf("%s: Lookup(%q): got %v, want ErrUnsupported", c.why, c.name, err)
		case c.want != "" && (err != nil || f.Name != c.want || f.New == nil):
			t.Errorf("%s: Lookup(%q): got %q, %v, want %q", c.why, c.name, f.Name, err, c.want)
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
		registry  *frame.Registry
		name, ext string
		framer    string
		evidence  frame.Evidence
		conflict  string
	}{
		{frame.Default(), "", ".ndjson", "ndjson", frame.ByExtension, ""},
		{frame.Default(), "", ".JSONL", "ndjson", frame.ByExtension, ""},
		{frame.Default(), "", "", "lines", frame.ByDefault, ""},
		{frame.Default(), "", ".csv", "csv", frame.ByExtension, ""},
		{frame.Default(), "", ".bin", "lines", frame.ByDefault, ""},
		{frame.Default(), "", ".parquet", "lines", frame.ByDefault, "extension says parquet"},
		{frame.Default(), "delim:00", ".ndjson", "delim:00", frame.ByChoice, ""},
		{own, "", ".xml", "xml", frame.ByExtension, ""},
		{own, "", ".ndjson", "xml", frame.ByExtension, ""},
		{&frame.Registry{}, "", ".ndjson", "lines", frame.ByDefault, ""},
	} {
		got, err := c.registry.Choose(c.name, c.ext)
		if err != nil || got.Framer.Name != c.framer || got.Evidence != c.evidence || strings.Join(got.Conflicts, ", ") != c.conflict {
			t.Errorf("Choose(%q, %q): got %s by %s, conflicts %q, %v, want %s by %s, %q",
				c.name, c.ext, got.Framer.Name, got.Evidence, got.Conflicts, err, c.framer, c.evidence, c.conflict)
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
	want := frame.Default().Names()
	if got := r.Names(); !slices.Equal(got, want) {
		t.Errorf("names after replacing the first: got %q, want %q", got, want)
	}
	f.Name = "other"
	r.Register(f)
	if got := r.Names(); !slices.Equal(got, append([]string{"other"}, want...)) {
		t.Errorf("names with one more: got %q, want it before %q", got, want)
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
