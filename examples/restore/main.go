// Restore prints every record that its argument names, and continues where a run
// that was stopped has ended.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/thaw-go/thaw/blob"
	_ "github.com/thaw-go/thaw/blob/filestore" // and s3store, gcsstore, azurestore; or allstores for all
	"github.com/thaw-go/thaw/stream"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("say what to read, and where the manifest is kept")
	}
	ctx := context.Background()
	src, err := blob.OpenSource(ctx, os.Args[1], nil) // a path, file:///srv/logs/, s3://logs/2026/**/*.zst?region=eu-west-1
	if err != nil {
		log.Fatal(err)
	}
	defer src.Store.Close()
	sink := stream.SinkFunc(func(_ context.Context, b *stream.Batch) error { // several lanes call at once
		for rec := range b.All() {
			fmt.Printf("%s %d: %s\n", b.Object().Key, rec.Index, rec.Data)
		}
		return nil // the batch is durable
	})
	report, err := stream.Backfill(ctx, src, sink, &stream.Options{Checkpoint: stream.FileCheckpoint(os.Args[2])})
	log.Print(report)
	if err != nil || !report.Complete() {
		log.Fatal("not everything was read: ", err)
	}
}
