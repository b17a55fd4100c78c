package lint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// quantities are names that state no unit: a number of JSON needs one, such as
// size_bytes or decoded_offset.
var quantities = []string{"size", "bytes", "offset", "stored", "decoded", "window", "memory", "spacing", "read", "largest", "time", "wait", "elapsed"}

// A number in JSON that is no count states its unit in its name, as docs/report.md says.
func TestJSONStatesUnits(t *testing.T) {
	fields := 0
	goFiles(t, func(path, text string) {
		if strings.HasSuffix(path, "_test.go") || !strings.Contains(text, "json:\"") {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.Name == "Stages" {
				return false // what holds it says ns
			}
			field, ok := n.(*ast.Field)
			if !ok || field.Tag == nil {
				return true
			}
			tag, err := strconv.Unquote(field.Tag.Value)
			if err != nil {
				t.Fatal(err)
			}
			name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
			typ := field.Type
			if p, ok := typ.(*ast.StarExpr); ok {
				typ = p.X
			}
			fields++
			switch x := typ.(type) {
			case *ast.Ident:
				if isInteger := strings.HasPrefix(strings.TrimPrefix(x.Name, "u"), "int"); isInteger && slices.Contains(quantities, name) {
					t.Errorf("%s: the number %q states no unit", path, name)
				}
			case *ast.SelectorExpr:
				if x.Sel.Name == "Duration" && !strings.HasSuffix(name, "_ns") {
					t.Errorf("%s: the duration %q does not end in _ns", path, name)
				}
			}
			return true
		})
	})
	if fields < 100 {
		t.Errorf("got %d fields, want those of reports, manifests and tools", fields)
	}
}
