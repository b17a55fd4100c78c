package after_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/after"
)

// A job moves what it has delivered.
func Example() {
	ctx := context.Background()
	logs := blob.New(memstore.New(), &blob.Options{Name: "mem://logs"})
	done := blob.New(memstore.New(), &blob.Options{Name: "mem://done"})
	for _, key := range []string{"a.log", "b.log"} {
		if _, err := logs.Put(ctx, key, strings.NewReader("one\ntwo\n"), 8, nil); err != nil {
			log.Fatal(err)
		}
	}
	state := blob.New(memstore.New(), nil)
	rep, err := stream.Backfill(ctx, logs.List(nil), stream.Discard, &stream.Options{
		Checkpoint: stream.BlobCheckpoint(state, "logs.json"),
		After:      after.Move(done, "2026/"),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rep.After.Done, "moved")
	for obj, err := range done.List(nil).Objects(ctx, blob.Mark{}) {
		fmt.Println(obj.Key, err)
	}
	// Output:
	// 2 moved
	// 2026/a.log <nil>
	// 2026/b.log <nil>
}
