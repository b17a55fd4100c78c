//go:build cgo && unix

package cli_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/thaw-go/thaw/examples/internal/cli"
)

// A program that is started with its output closed fails: what it writes is lost.
func TestMainClosedOutput(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd := exec.Command("/bin/sh", "-c", `exec "$0" >&-`, exe)
	cmd.Env = append(os.Environ(), leaving+"="+filepath.Join(t.TempDir(), "temporary"))
	cmd.Stderr = &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != cli.Failed || stderr.Len() == 0 {
		t.Errorf("got %v, %q on stderr; want exit status %d and a reason", err, stderr.String(), cli.Failed)
	}
}
