package lint_test

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

var (
	codeSpan  = regexp.MustCompile("`[^`\n]+`")
	codeBlock = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	qualified = regexp.MustCompile(`(?:^|[^\w./-])((?:[a-z]\w*|[A-Z]\w*)(?:\.[A-Z]\w*)+)`)
)

// notOurs are names that the docs say are rejected, or of another library.
var notOurs = map[string]bool{"Framer.Text": true, "frame.Indexed": true, "InflateCheckpoint.CompressedOffset": true}

// A name such as stream.Options or Options.Memory in README.md and docs is one that the
// module has.
func TestNamesInDocsExist(t *testing.T) {
	known, packages := declared(t)
	docs, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, path := range append(docs, "../../README.md") {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, span := range codeSpan.FindAllString(codeBlock.ReplaceAllString(string(data), ""), -1) {
			for _, m := range qualified.FindAllStringSubmatch(strings.Trim(span, "`"), -1) {
				parts := strings.Split(m[1], ".")
				if !ast.IsExported(parts[0]) && !packages[parts[0]] {
					continue // of another module
				}
				for i := range parts[1:] {
					seen++
					if pair := parts[i] + "." + parts[i+1]; !known[pair] && !notOurs[pair] {
						t.Errorf("%s: there is no %s, in %s", path, pair, span)
					}
				}
			}
		}
	}
	if seen < 50 {
		t.Errorf("got %d names, want those of README.md and docs", seen)
	}
}

// declared returns what the packages of the module export, as package.Name, Type.Field and
// Type.Method, and the names of the packages.
func declared(t *testing.T) (known, packages map[string]bool) {
	known, packages = map[string]bool{}, map[string]bool{}
	goFiles(t, func(path, text string) {
		if strings.HasSuffix(path, "_test.go") || strings.Contains(filepath.ToSlash(path), "/internal/") {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		pkg := f.Name.Name
		if pkg == "main" {
			return
		}
		packages[pkg] = true
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				of := pkg
				if d.Recv != nil {
					of = receiver(d.Recv.List[0].Type)
				}
				known[of+"."+d.Name.Name] = true
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.ValueSpec:
						for _, name := range spec.Names {
							known[pkg+"."+name.Name] = true
						}
					case *ast.TypeSpec:
						known[pkg+"."+spec.Name.Name] = true
						for _, member := range members(spec.Type) {
							known[spec.Name.Name+"."+member] = true
						}
					}
				}
			}
		}
	})
	return known, packages
}

// receiver is the name of the type that a method belongs to.
func receiver(expr ast.Expr) string {
	for {
		switch x := expr.(type) {
		case *ast.StarExpr:
			expr = x.X
		case *ast.IndexExpr:
			expr = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// members are the fields of a struct or the methods of an interface.
func members(expr ast.Expr) (names []string) {
	var list *ast.FieldList
	switch x := expr.(type) {
	case *ast.StructType:
		list = x.Fields
	case *ast.InterfaceType:
		list = x.Methods
	default:
		return nil
	}
	for _, f := range list.List {
		for _, name := range f.Names {
			names = append(names, name.Name)
		}
	}
	return names
}
