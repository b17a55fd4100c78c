// Customcodec prints the records of objects in a compression of its own: runs of
// equal bytes. The codec is a Codec value, registered beside the built-in ones;
// detection, limits, positions and errors are the pipeline's.
//
//	go run ./examples/customcodec raster.csv.runs
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/thaw-go/thaw/blob"
	_ "github.com/thaw-go/thaw/blob/filestore" // paths and file: URLs
	"github.com/thaw-go/thaw/codec"
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
		fmt.Fprintln(stderr, "usage: customcodec FILE|FOLDER|GLOB|URL")
		return 2
	}
	if err := show(ctx, args[0], stdout); err != nil {
		fmt.Fprintln(stderr, "customcodec:", err)
		return 1
	}
	return 0
}

// show writes every record on a line.
func show(ctx context.Context, what string, stdout io.Writer) error {
	src, err := blob.OpenSource(ctx, what, nil)
	if err != nil {
		return err
	}
	defer src.Store.Close()

	codecs := codec.Default().Clone()
	codecs.Register(runs()) // chosen by magic, by extension, or by name with ReadOptions.Codec
	report, err := stream.Backfill(ctx, src, stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
		for rec := range b.All() {
			if _, err := fmt.Fprintf(stdout, "%s %d %q\n", b.Object().Key, rec.Index, rec.Data); err != nil {
				return err
			}
		}
		return nil
	}), &stream.Options{Lanes: 1, Read: stream.ReadOptions{Codecs: codecs}})
	if err == nil && report.Counts.Listed.Objects == 0 {
		err = fmt.Errorf("%s: no object there", src.Name)
	}
	return err
}
