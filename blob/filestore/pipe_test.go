//go:build unix

package filestore_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/thaw-go/thaw/blob/filestore"
)

// What is no regular file is listed without a size, and refused when it is opened.
func TestListOfWhatIsNoFile(t *testing.T) {
	t.Parallel()
	dir, d := folder(t, "a", "sub/"+filestore.TempName(), filestore.TempName(), ".thaw-tmp-is-a-users")
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o777); err != nil {
		t.Fatal(err)
	}
	want := []string{".thaw-tmp-is-a-users", "a", "pipe"}
	if got, err := list(d, "", ""); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if _, err := d.ReadRange(t.Context(), "pipe", 0, -1, ""); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("got %v, want an error about the pipe", err)
	}
}
