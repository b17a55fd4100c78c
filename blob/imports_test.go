package blob_test

import (
	"os/exec"
	"strings"
	"testing"
)

// Programs that use local stores only must not build gRPC and a cloud's SDK.
func TestLightImports(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the go command")
	}
	pkgs := []string{".", "./driver", "./filestore", "./memstore"}
	if err := exec.Command("go", "list", "../stream").Run(); err == nil {
		pkgs = append(pkgs, "../stream")
	}
	out, err := exec.Command("go", append([]string{"list", "-deps"}, pkgs...)...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for dep := range strings.Lines(string(out)) {
		for _, heavy := range []string{"gocloud.dev", "google.golang.org", "cloud.google.com", "github.com/aws", "github.com/Azure", "go.opentelemetry.io", "blob/gocloudstore"} {
			if strings.Contains(dep, heavy) {
				t.Errorf("%v import %s, want no %s", pkgs, strings.TrimSpace(dep), heavy)
			}
		}
	}
}
