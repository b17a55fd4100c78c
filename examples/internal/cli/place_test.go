package cli_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/thaw-go/thaw/blob/filestore"
	"github.com/thaw-go/thaw/examples/internal/cli"
)

// Messages name objects as the user would write them.
func TestObjectNames(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.MkdirAll("bad/sub", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("bad/sub/a b", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	url := "file://" + filepath.ToSlash(dir) + "/bad/"
	for _, tt := range []struct{ what, key, want string }{
		{"bad", "trunc.gz", "bad/trunc.gz"},
		{"./bad/", "sub/x", "bad/sub/x"},
		{".", "bad/x", "bad/x"},
		{"bad/sub/a b", "a b", `"bad/sub/a b"`},
		{"bad/*/x", "sub/x", "bad/sub/x"},
		{filepath.Join(dir, "bad"), "x", filepath.Join(dir, "bad", "x")},
		{url, "sub/a b", url + "sub/a%20b"},
		{url + "?prefix=su", "b/x", url + "sub/x"},
		{"dead://empty/d/?prefix=su&endpoint=http://host:1&x=a%20b", "b/x", "dead://empty/d/sub/x?endpoint=http://host:1&x=a%20b"},
	} {
		var out bytes.Buffer
		c := cli.NewConsole("test", &out, false)
		src, err := cli.Open(t.Context(), tt.what, c)
		if err != nil {
			t.Errorf("%s: %v", tt.what, err)
			continue
		}
		if got := c.Object(tt.key); got != tt.want {
			t.Errorf("%s, key %s: got %s, want %s", tt.what, tt.key, got, tt.want)
		}
		_, err = src.Store.Stat(t.Context(), "none")
		if status := c.Fail(err); status != cli.Failed || !strings.Contains(out.String(), c.Object("none")+": file ") {
			t.Errorf("%s: got status %d, %q, want 1 and the name %s", tt.what, status, out.String(), c.Object("none"))
		}
		src.Store.Close()
	}
	if got := cli.NewConsole("test", &bytes.Buffer{}, false).Object("k"); got != "k" {
		t.Errorf("before anything is opened: got %s, want the key", got)
	}
	if status := cli.NewConsole("test", &bytes.Buffer{}, false).Fail(errors.New("any")); status != cli.Failed {
		t.Errorf("got status %d, want %d", status, cli.Failed)
	}
}
