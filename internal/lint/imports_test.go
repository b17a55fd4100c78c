package lint_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/thaw-go/thaw"

type goPackage struct {
	ImportPath string
	Imports    []string
	Deps       []string
	Standard   bool
}

// packages lists the module's packages with what they import.
func packages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,Deps,Standard", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// layer is the folder of the module that a package belongs to: "blob", "codec", …
func layer(path string) string {
	rest, ok := strings.CutPrefix(path, module+"/")
	if !ok {
		return ""
	}
	first, _, _ := strings.Cut(rest, "/")
	return first
}

// Imports go one way: stream to blob, codec and frame, all of them to internal.
// The conformance suites and the examples may import what they show.
func TestImportDirection(t *testing.T) {
	may := map[string][]string{
		"blob":     {"blob", "internal"},
		"codec":    {"codec", "internal"},
		"frame":    {"frame", "internal"},
		"stream":   {"stream", "blob", "codec", "frame", "internal"},
		"internal": {"internal"},
		"examples": {"examples", "stream", "blob", "codec", "frame", "internal"},
	}
	for _, p := range packages(t) {
		from := layer(p.ImportPath)
		for _, i := range p.Imports {
			to := layer(i)
			if to == "" || from == "" {
				continue
			}
			allowed, known := may[from]
			if !known {
				t.Errorf("%s lies in no known layer", p.ImportPath)
				break
			}
			// An indexed format's framer reads compressed pages.
			if from == "frame" && to == "codec" && p.ImportPath != module+"/frame" && !strings.HasSuffix(p.ImportPath, "test") {
				continue
			}
			// The store of faults is a driver, as those of blob are.
			if p.ImportPath == module+"/internal/testing/faultstore" && to == "blob" {
				continue
			}
			if !slices.Contains(allowed, to) {
				t.Errorf("%s imports %s", p.ImportPath, i)
			}
		}
	}
}

// Heavy or special libraries are imported in one place.
func TestLibrariesStayInTheirPlace(t *testing.T) {
	places := map[string][]string{
		"gocloud.dev":                   {"blob/gocloudstore", "blob/s3store", "blob/gcsstore", "blob/azurestore"},
		"github.com/aws":                {"blob/s3store"},
		"cloud.google.com":              {"blob/gcsstore"},
		"google.golang.org/api":         {"blob/gcsstore"},
		"google.golang.org/grpc":        {"blob/gcsstore"},
		"github.com/Azure":              {"blob/azurestore"},
		"github.com/klauspost/compress": {"codec", "internal/testing/corpus"},
		"github.com/pierrec/lz4":        {"codec", "internal/testing/corpus"},
		"github.com/golang/snappy":      {"codec", "internal/testing/corpus"},
		"github.com/andybalholm/brotli": {"internal/testing/corpus"}, // and tests
	}
	for _, p := range packages(t) {
		for _, i := range p.Imports {
			for lib, where := range places {
				if i != lib && !strings.HasPrefix(i, lib+"/") {
					continue
				}
				if !slices.ContainsFunc(where, func(w string) bool {
					return p.ImportPath == module+"/"+w || strings.HasPrefix(p.ImportPath, module+"/"+w+"/")
				}) {
					t.Errorf("%s imports %s, which belongs in %v", p.ImportPath, i, where)
				}
			}
		}
	}
}

// S3 brings its SDK alone: gRPC comes with other services.
func TestS3IsNoMoreThanS3(t *testing.T) {
	for _, p := range packages(t) {
		if p.ImportPath != module+"/blob/s3store" {
			continue
		}
		for _, d := range p.Deps {
			for _, h := range []string{"google.golang.org", "cloud.google.com", "github.com/Azure", "gocloud.dev/blob"} {
				if d == h || strings.HasPrefix(d, h+"/") {
					t.Errorf("%s depends on %s", p.ImportPath, d)
				}
			}
		}
	}
}

// What a program pays for importing stream: no cloud SDK, no gocloud.dev, no gRPC.
func TestStreamIsLight(t *testing.T) {
	heavy := []string{"gocloud.dev", "google.golang.org", "github.com/aws", "github.com/Azure", "cloud.google.com", "go.opentelemetry.io"}
	for _, p := range packages(t) {
		if l := layer(p.ImportPath); l != "stream" && p.ImportPath != module+"/blob" && p.ImportPath != module+"/examples/profile" {
			continue
		}
		for _, d := range p.Deps {
			for _, h := range heavy {
				if d == h || strings.HasPrefix(d, h+"/") {
					t.Errorf("%s depends on %s", p.ImportPath, d)
				}
			}
		}
	}
}

// What is there for tests, and what only that would bring, is in no program that
// decodes.
func TestCodecsAreLight(t *testing.T) {
	for _, p := range packages(t) {
		if l := layer(p.ImportPath); l != "stream" && l != "codec" || strings.HasSuffix(p.ImportPath, "test") {
			continue
		}
		for _, d := range p.Deps {
			if d == "net/http" || d == "github.com/andybalholm/brotli" {
				t.Errorf("%s depends on %s", p.ImportPath, d)
			}
		}
	}
}
