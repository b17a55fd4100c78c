package sinks_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/sinks"
)

// folder is a store with one object.
func folder(ctx context.Context) blob.Source {
	store := blob.New(memstore.New(), nil)
	const data = "{\"n\":1}\n{\"n\":2}\n"
	if _, err := store.Put(ctx, "2026/a.ndjson", strings.NewReader(data), int64(len(data)), nil); err != nil {
		log.Fatal(err)
	}
	return store.List(nil)
}

func ExampleNDJSON() {
	ctx := context.Background()
	out := &strings.Builder{}
	if _, err := stream.Backfill(ctx, folder(ctx), sinks.NDJSON(out, &sinks.LineOptions{Check: true}), nil); err != nil {
		log.Fatal(err)
	}
	fmt.Print(out.String())
	// Output:
	// {"n":1}
	// {"n":2}
}

func ExampleFiles() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "out-*")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if _, err := stream.Backfill(ctx, folder(ctx), sinks.Files(dir, nil), nil); err != nil {
		log.Fatal(err)
	}
	data, err := os.ReadFile(dir + "/" + sinks.Name("2026/a.ndjson"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(data))
	// Output:
	// {"n":1}
	// {"n":2}
}

func ExampleObjects() {
	ctx := context.Background()
	to := blob.New(memstore.New(), nil)
	if _, err := stream.Backfill(ctx, folder(ctx), sinks.Objects(to, nil), nil); err != nil {
		log.Fatal(err)
	}
	for obj, err := range to.List(nil).Objects(ctx, blob.Mark{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(obj.Key, obj.Size)
	}
	// Output:
	// 2026/a.ndjson.ndjson 16
}

func ExampleName() {
	for _, key := range []string{"logs/a.gz", "Logs/../a b", "con"} {
		fmt.Println(sinks.Name(key))
	}
	// Output:
	// logs/a.gz.ndjson
	// %4cogs/%2e%2e/a%20b.ndjson
	// %63on.ndjson
}
