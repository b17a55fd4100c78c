// Records counts the records of objects and shows the longest: how package
// stream reads one object.
//
//	go run ./examples/records 'logs/*.ndjson.gz'
package main

import (
	"context"
	"fmt"
	"io"

	"github.com/thaw-go/thaw/blob"
	_ "github.com/thaw-go/thaw/blob/filestore" // paths and file: URLs
	"github.com/thaw-go/thaw/examples/internal/cli"
	"github.com/thaw-go/thaw/stream"
)

const usage = `usage: %s FILE | FOLDER | GLOB | URL

Counts the records of every object and shows the size of the longest.
`

var run = cli.One("records", usage, count)

func main() { cli.Main(run) }

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
		for rec, err := range stream.Records(ctx, src.Store, obj.Key, &stream.RecordsOptions{Object: &obj}) {
			if err != nil {
				return err // with key and offset; the records before it were good
			}
			records++
			longest = max(longest, len(rec.Data)) // rec.Data is valid until the next step
		}
		fmt.Fprintf(stdout, "%s: %s, the longest of %d bytes\n", obj.Key, cli.Count(records, "record"), longest)
		objects++
	}
	if objects == 0 {
		return cli.Nothing(src.Name)
	}
	return nil
}
