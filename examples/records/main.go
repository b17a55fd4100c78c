// Records counts the records of objects and shows the longest: how package
// stream reads one object.
//
//	go run ./examples/records 'logs/*.ndjson.gz'
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/thaw-go/thaw/blob"
	_ "github.com/thaw-go/thaw/blob/filestore" // paths and file: URLs
	"github.com/thaw-go/thaw/stream"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) != 1 {
		fmt.Fprintln(stderr, "usage: records FILE|FOLDER|GLOB|URL")
		return 2
	}
	if err := count(ctx, args[0], stdout); err != nil {
		fmt.Fprintln(stderr, "records:", err)
		return 1
	}
	return 0
}

// count writes a line for each object that what names.
func count(ctx context.Context, what string, stdout io.Writer) error {
	src, err := blob.OpenSource(ctx, what, nil)
	if err != nil {
		return err
	}
	defer src.Store.Close()

	objects := 0
	for obj, err := range src.Objects(ctx, blob.Mark{}) {
		if err != nil {
			return err
		}
		records, longest := 0, 0
		for rec, err := range stream.Records(ctx, src.Store, obj.Key, &stream.ReadOptions{Version: obj.Version}) {
			if err != nil {
				return err // with key and offset; the records before it were good
			}
			records++
			longest = max(longest, len(rec.Data)) // rec.Data is valid until the next step
		}
		fmt.Fprintf(stdout, "%s: %d records, the longest of %d bytes\n", obj.Key, records, longest)
		objects++
	}
	if objects == 0 {
		return fmt.Errorf("%s: no object there", src.Name)
	}
	return nil
}
