package blob_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"strings"

	"github.com/thaw-go/thaw/blob"
	_ "github.com/thaw-go/thaw/blob/memstore"
)

func Example() {
	ctx := context.Background()
	store, err := blob.Open(ctx, "mem:", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	for _, key := range []string{"2026/01/a.ndjson", "2026/02/b.ndjson", "readme"} {
		if _, err := store.Put(ctx, key, strings.NewReader("{}\n"), 3, nil); err != nil {
			log.Fatal(err)
		}
	}

	src := store.List(&blob.ListOptions{Glob: "2026/**/*.ndjson"})
	fmt.Println(src.Name)
	for obj, err := range src.Objects(ctx, blob.Mark{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(obj.Key, obj.Size)
	}
	_, err = store.Stat(ctx, "nope")
	fmt.Println(err, errors.Is(err, fs.ErrNotExist))
	// Output:
	// mem: glob "2026/**/*.ndjson"
	// 2026/01/a.ndjson 3
	// 2026/02/b.ndjson 3
	// blob: stat mem: "nope": file does not exist true
}

func ExampleStore_NewReader() {
	ctx := context.Background()
	store, err := blob.Open(ctx, "mem:", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	if _, err := store.Put(ctx, "k", strings.NewReader("stored bytes\n"), 13, nil); err != nil {
		log.Fatal(err)
	}

	r, err := store.NewReader(ctx, "k", &blob.ReaderOptions{Offset: 7})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	if _, err := io.Copy(os.Stdout, r); err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Offset() == r.Object().Size)
	// Output:
	// bytes
	// true
}
