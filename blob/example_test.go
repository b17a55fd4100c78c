package blob_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/thaw-go/thaw/blob"
	_ "github.com/thaw-go/thaw/blob/filestore"
	"github.com/thaw-go/thaw/blob/memstore"
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

// Tools take the argument of a user: a path or a URL that names an object, a folder or
// a glob.
func ExampleOpenSource() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"a.log", "b.log", "readme"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("text\n"), 0o666); err != nil {
			log.Fatal(err)
		}
	}

	src, err := blob.OpenSource(ctx, filepath.Join(dir, "*.log"), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer src.Store.Close()
	for obj, err := range src.Objects(ctx, blob.Mark{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(obj.Key, obj.Size)
	}
	// Output:
	// a.log 5
	// b.log 5
}

// Of several programs that update one object, one wins and the others are told.
func ExampleStore_Put() {
	ctx := context.Background()
	store := blob.New(memstore.New(), nil)
	version, err := store.Put(ctx, "state", strings.NewReader("1"), 1, &blob.PutOptions{IfAbsent: true})
	if err != nil {
		log.Fatal(err)
	}
	if _, err = store.Put(ctx, "state", strings.NewReader("2"), 1, &blob.PutOptions{IfVersion: version}); err != nil {
		log.Fatal(err)
	}
	_, err = store.Put(ctx, "state", strings.NewReader("3"), 1, &blob.PutOptions{IfVersion: version})
	fmt.Println(errors.Is(err, blob.ErrConflict))
	// Output:
	// true
}

// A read of what was listed is held to the version and the size of the listing.
func ExampleReaderOptions() {
	ctx := context.Background()
	store := blob.New(memstore.New(), nil)
	if _, err := store.Put(ctx, "k", strings.NewReader("old"), 3, nil); err != nil {
		log.Fatal(err)
	}
	listed, err := store.Stat(ctx, "k")
	if err != nil {
		log.Fatal(err)
	}
	if _, err := store.Put(ctx, "k", strings.NewReader("new"), 3, nil); err != nil {
		log.Fatal(err)
	}
	_, err = store.NewReader(ctx, "k", &blob.ReaderOptions{Object: &listed})
	fmt.Println(errors.Is(err, blob.ErrChanged))
	// Output:
	// true
}

// Two machines read one half of the objects each.
func ExampleShard() {
	ctx := context.Background()
	store := blob.New(memstore.New(), nil)
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		if _, err := store.Put(ctx, key, strings.NewReader(key), 1, nil); err != nil {
			log.Fatal(err)
		}
	}
	for i := range 2 {
		src := blob.Shard(store.List(nil), i, 2)
		for obj, err := range src.Objects(ctx, blob.Mark{}) {
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println(src.Name, obj.Key)
		}
	}
	// Output:
	// mem: shard 0/2 b
	// mem: shard 0/2 c
	// mem: shard 0/2 d
	// mem: shard 1/2 a
	// mem: shard 1/2 e
}

// A slow job shows what it waits for.
func ExampleOpenOptions() {
	store, err := blob.Open(context.Background(), "mem:", &blob.OpenOptions{
		Retry: &blob.Retry{MaxAttempts: 10},
		OnRetry: func(r blob.Retrying) {
			log.Printf("%s %s %q: attempt %d failed, the next in %v: %v", r.Op, r.Store, r.Key, r.Attempt, r.Wait, r.Err)
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	fmt.Println(store.Name())
	// Output:
	// mem:
}
