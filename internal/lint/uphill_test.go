package lint_test

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// streamLayers are the layers of package stream from the bottom up, each with
// the files that belong to it: a name without .go, or a prefix that ends with _.
// The longest match counts. A file uses what lies in its own layer and below.
var streamLayers = []struct {
	name  string
	files []string
}{
	{"words", []string{"doc", "errors", "place", "class", "record", "redecode", "sink_failure"}},
	{"options", []string{"policy", "quarantine", "options", "options_restore", "options_follow", "options_check", "after", "checkpoint", "trace", "report_counts"}},
	{"pool", []string{"pool", "pool_", "options_resolve"}},
	{"lane", []string{"lane", "lane_"}},
	{"batch", []string{"batch", "batch_", "selection"}},
	{"object", []string{"object_"}},
	{"batcher", []string{"batcher", "batcher_"}},
	{"sink", []string{"sink", "sink_"}},
	{"manifest", []string{"manifest", "manifest_", "checkpoint_", "follow"}},
	{"report", []string{"report", "report_", "trace_"}},
	{"ledger", []string{"task", "ledger", "ledger_", "report_make"}},
	{"job", []string{"job", "job_after", "job_tasks", "job_panics", "job_ownwrites"}},
	{"lanes of a job", []string{"job_decide", "job_worker", "job_write", "job_lanes"}},
	{"listing", []string{"job_list", "job_follow", "job_restore"}},
	{"end of a job", []string{"job_keeper", "job_blocked", "job_lastsave"}},
	{"calls", []string{"backfill", "open", "open_", "read_direct", "records", "redrive"}},
}

// mostUphill bounds the references of package stream that run uphill: pairs of
// files of which one uses what the other, in a higher layer, declares.
const mostUphill = 7

func TestStreamReadsOneWay(t *testing.T) {
	uses := fileReferences(t, filepath.Join("..", "..", "stream"), module+"/stream")
	var all, uphill int
	var lines []string
	for from, tos := range uses {
		for to, names := range tos {
			all++
			a, b := streamLayer(from), streamLayer(to)
			if a < 0 || b < 0 || a >= b {
				continue
			}
			uphill++
			lines = append(lines, fmt.Sprintf("%s (%s) uses %s (%s): %s", from, streamLayers[a].name, to, streamLayers[b].name,
				strings.Join(slices.Sorted(maps.Keys(names)), ", ")))
		}
	}
	slices.Sort(lines)
	t.Logf("%d of %d references run uphill\n%s", uphill, all, strings.Join(lines, "\n"))
	if uphill > mostUphill {
		t.Errorf("%d references run uphill, at most %d may; -v lists them", uphill, mostUphill)
	}
	for from := range uses {
		if streamLayer(from) < 0 {
			t.Errorf("stream/%s.go lies in no layer", from)
		}
	}
}

// streamLayer returns the layer of a file, -1 if it lies in none.
func streamLayer(file string) int {
	layer, longest := -1, ""
	for i, l := range streamLayers {
		for _, name := range l.files {
			match := file == name || strings.HasSuffix(name, "_") && strings.HasPrefix(file, name)
			if match && cmp.Compare(len(name), len(longest)) > 0 {
				layer, longest = i, name
			}
		}
	}
	return layer
}

// fileReferences reports which file of the package in dir uses which other one,
// and the names that it uses. Files are named without .go. Types are checked, so
// that fields and methods count where they are declared.
func fileReferences(t *testing.T, dir, path string) map[string]map[string]map[string]bool {
	t.Helper()
	pkg, err := build.ImportDir(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	uses := map[string]map[string]map[string]bool{}
	for _, name := range pkg.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
		uses[strings.TrimSuffix(name, ".go")] = map[string]map[string]bool{}
	}
	fileOf := func(p token.Pos) string {
		return strings.TrimSuffix(filepath.Base(fset.Position(p).Filename), ".go")
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", exportData(t, dir))}
	checked, err := config.Check(path, fset, files, info)
	if err != nil {
		t.Fatal(err)
	}
	for id, obj := range info.Uses {
		if obj.Pkg() != checked || !obj.Pos().IsValid() {
			continue
		}
		from, to := fileOf(id.Pos()), fileOf(obj.Pos())
		if from == to {
			continue
		}
		if uses[from][to] == nil {
			uses[from][to] = map[string]bool{}
		}
		uses[from][to][obj.Name()] = true
	}
	return uses
}

// exportData finds what the compiler knows of the packages that the one in dir
// imports.
func exportData(t *testing.T, dir string) func(path string) (io.ReadCloser, error) {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", ".")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	where := map[string]string{}
	for line := range bytes.Lines(out) {
		path, file, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		where[path] = file
	}
	return func(path string) (io.ReadCloser, error) { return os.Open(where[path]) }
}
