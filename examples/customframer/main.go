// Customframer prints the records of an object in a custom format: netstrings,
// as in "5:hello,". The framer is a Framer value, registered beside the built-in
// ones; slabs, limits, errors and resumption are the pipeline's.
//
//	go run ./examples/customframer queue.netstrings.gz
package main

import (
	"context"
	"fmt"
	"io"

	"github.com/thaw-go/thaw/blob"
	_ "github.com/thaw-go/thaw/blob/filestore" // paths and file: URLs
	"github.com/thaw-go/thaw/examples/internal/cli"
	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/stream"
)

const usage = `usage: %s FILE | FOLDER | GLOB | URL

Writes the records of every object on lines: key, index, data. Beside the built-in
framers it knows a custom one, netstrings (extension .netstrings).
`

var run = cli.One("customframer", usage, show)

func main() { cli.Main(run) }

// show writes every record on a line.
func show(ctx context.Context, what string, stdout io.Writer) error {
	src, err := blob.OpenSource(ctx, what, nil)
	if err != nil {
		return err
	}
	defer src.Store.Close()

	framers := frame.Default().Clone()
	framers.Register(netstrings()) // chosen by extension, or by name with ReadOptions.Frame
	report, err := stream.Backfill(ctx, src, stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
		for rec := range b.All() {
			if _, err := fmt.Fprintf(stdout, "%s %d %q\n", b.Object().Key, rec.Index, rec.Data); err != nil {
				return err
			}
		}
		return nil
	}), &stream.Options{Lanes: 1, Read: stream.ReadOptions{Framers: framers}})
	if err == nil && report.Counts.Listed.Objects == 0 {
		err = cli.Nothing(src.Name)
	}
	return err
}
