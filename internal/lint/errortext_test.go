package lint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"
)

// What a text of an error may be looked at for.
const (
	secrets = "no credential may be in it"
	advice  = "what it advises is tested, and has no other place"
	figures = "it names what no field does: attempts, ids, versions, the holder of a lock"
	rule    = "which rule refused the data shows in it alone"
	twins   = "two implementations say the same"
	foreign = "a library has no type for what it says"
)

// errorTexts are the places that may look at the text of an error, how many of them a
// file has, and why. Everything else compares by errors.Is and errors.As, and fields.
var errorTexts = map[string]struct {
	most   int
	reason string
}{
	"blob/azurestore/errors_test.go": {1, advice},
	"blob/azurestore/open_test.go":   {2, advice + "; " + secrets},
	"blob/azurestore/server_test.go": {2, secrets},
	"blob/filestore/file_test.go":    {1, advice},
	"blob/filestore/list_test.go":    {1, advice},
	"blob/filestore/pipe_test.go":    {1, advice},
	"blob/gcsstore/errors_test.go":   {1, secrets},
	"blob/gcsstore/open_test.go":     {2, advice + "; " + secrets},
	"blob/gcsstore/payer_test.go":    {1, advice},

	"blob/internal/httpstore/class.go":             {1, "the words repeat the class, which is then not said twice"},
	"blob/internal/httpstore/httpstore_test.go":    {1, secrets},
	"blob/list_test.go":                            {2, advice},
	"blob/open_test.go":                            {3, advice},
	"blob/retry_hook_test.go":                      {3, figures},
	"blob/s3store/open_test.go":                    {5, advice + "; " + secrets},
	"blob/s3store/payer_test.go":                   {1, advice},
	"blob/store_test.go":                           {1, "the wording of blob.Error is tested"},
	"codec/detect_test.go":                         {1, advice},
	"codec/lz4_test.go":                            {1, rule},
	"codec/snappy_test.go":                         {1, rule},
	"codec/zstd_test.go":                           {2, rule + "; " + figures},
	"internal/decode/brotli/fault_test.go":         {1, twins},
	"internal/decode/inflate/fuzz_test.go":         {3, twins},
	"internal/decode/zstd/blocks_test.go":          {1, rule},
	"internal/decode/zstd/corpus_test.go":          {1, foreign},
	"internal/decode/zstd/kernel_internal_test.go": {1, twins},
	"internal/integration/jobs_test.go":            {1, secrets},
	"internal/integration/s3_test.go":              {1, advice},
	"stream/checkpoint_file_test.go":               {2, figures},
	"stream/options_test.go":                       {1, "a field is named by it alone"},
}

// Texts of errors are for people. Code and tests that match them break with the next
// better wording, and hide that an error has no type.
func TestErrorsAreNotMatchedByText(t *testing.T) {
	found := map[string]int{}
	goFiles(t, func(path, text string) {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if !matchesErrorText(n) {
				return true
			}
			name, err := filepath.Rel("../..", path)
			if err != nil {
				t.Fatal(err)
			}
			name = filepath.ToSlash(name)
			if found[name]++; found[name] > errorTexts[name].most {
				t.Errorf("%s:%d matches the text of an error", name, fset.Position(n.Pos()).Line)
			}
			return true
		})
	})
	for name, allowed := range errorTexts {
		if n := found[name]; n < allowed.most {
			t.Logf("%s matches texts of errors %d times, and may %d times: lower that", name, n, allowed.most)
		}
		if allowed.reason == "" {
			t.Errorf("%s may match texts of errors for no reason", name)
		}
	}
}

// matchesErrorText reports whether n compares what a method Error returns, or searches
// it by package strings, bytes or slices.
func matchesErrorText(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		return (n.Op == token.EQL || n.Op == token.NEQ) && (isErrorText(n.X) || isErrorText(n.Y))
	case *ast.CallExpr:
		fun, ok := n.Fun.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		switch pkg, _ := fun.X.(*ast.Ident); {
		case pkg == nil:
			return false
		case pkg.Name != "strings" && pkg.Name != "bytes" && pkg.Name != "slices":
			return false
		}
		for _, arg := range n.Args {
			if isErrorText(arg) {
				return true
			}
		}
	}
	return false
}

// isErrorText reports whether e is x.Error(), or a conversion of it.
func isErrorText(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	if fun, ok := call.Fun.(*ast.SelectorExpr); ok && fun.Sel.Name == "Error" && len(call.Args) == 0 {
		return true
	}
	return len(call.Args) == 1 && isErrorText(call.Args[0])
}

// A type is asserted to an interface with a name, or to exported methods: an
// unexported method that is named in passing is a contract that nobody finds.
func TestNoAssertionOfHiddenMethods(t *testing.T) {
	goFiles(t, func(path, text string) {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		check := func(e ast.Expr) {
			in, ok := e.(*ast.InterfaceType)
			if !ok {
				return
			}
			for _, m := range in.Methods.List {
				for _, name := range m.Names {
					if !name.IsExported() {
						t.Errorf("%s: asserts the unexported method %s", fset.Position(e.Pos()), name)
					}
				}
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeAssertExpr:
				check(n.Type)
			case *ast.CaseClause:
				for _, e := range n.List {
					check(e)
				}
			}
			return true
		})
	})
}
