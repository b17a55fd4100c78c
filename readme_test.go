package thaw_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every Go snippet of README.md is part of an Example function, where the
// compiler and the test of its output look at it, or the whole of examples/restore.
func TestReadmeSnippets(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := exampleBodies(t, "stream/example_test.go", "blob/example_test.go")
	blocks := regexp.MustCompile("(?ms)^```go\n(.*?)^```").FindAllSubmatch(readme, -1)
	if len(blocks) == 0 {
		t.Error("README.md has no Go snippet")
	}
	program, err := os.ReadFile(filepath.FromSlash("examples/restore/main.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks {
		found := string(b[1]) == string(program)
		for _, body := range examples {
			found = found || strings.Contains(body, spaced(string(b[1])))
		}
		if !found {
			t.Errorf("in no Example function:\n%s", b[1])
		}
	}
}

// exampleBodies are the texts of all Example functions of the files.
func exampleBodies(t *testing.T, files ...string) []string {
	t.Helper()
	var bodies []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, file, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Example") {
				bodies = append(bodies, spaced(string(text[fset.Position(f.Body.Lbrace).Offset:fset.Position(f.Body.Rbrace).Offset])))
			}
		}
	}
	return bodies
}

// spaced has one blank wherever text has white space.
func spaced(text string) string { return strings.Join(strings.Fields(text), " ") }

// Links to files lead somewhere.
func TestReadmeLinks(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`\]\(([^)]*)\)`).FindAllSubmatch(readme, -1) {
		if target := string(m[1]); !strings.Contains(target, "://") {
			if _, err := os.Stat(filepath.FromSlash(target)); err != nil {
				t.Errorf("link to %s: %v", target, err)
			}
		}
	}
}
