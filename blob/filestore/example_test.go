package filestore_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/filestore"
)

// A folder that is made where it does not exist.
func ExampleNew() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	folder, err := filestore.New(filepath.Join(dir, "state"), &filestore.Options{Create: true})
	if err != nil {
		log.Fatal(err)
	}
	store := blob.New(folder, nil)
	if _, err := store.Put(ctx, "2026/manifest", strings.NewReader("{}"), 2, nil); err != nil {
		log.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "state", "2026", "manifest"))
	fmt.Println(string(data), err)
	// Output:
	// {} <nil>
}
