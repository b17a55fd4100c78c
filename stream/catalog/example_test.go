package catalog_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/catalog"
)

// A job over the objects that a file in another store names.
func ExampleKeyFile() {
	ctx := context.Background()
	logs, lists := blob.New(memstore.New(), nil), blob.New(memstore.New(), nil)
	for store, object := range map[*blob.Store][2]string{
		logs:  {"a.log", "first\nsecond\n"},
		lists: {"today.keys", "a.log\n"},
	} {
		if _, err := store.Put(ctx, object[0], strings.NewReader(object[1]), int64(len(object[1])), nil); err != nil {
			log.Fatal(err)
		}
	}

	src, err := catalog.KeyFile(ctx, lists, "today.keys", &catalog.KeyFileOptions{Objects: logs})
	if err != nil {
		log.Fatal(err)
	}
	report, err := stream.Backfill(ctx, src, stream.Discard, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Counts.Done.Objects, "object,", report.Counts.Delivered(), "records")
	// Output:
	// 1 object, 2 records
}
