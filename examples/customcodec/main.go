// Customcodec prints the records of objects in a custom compression: runs of equal
// bytes. The codec is a codec.Codec, registered beside the built-in ones. The library
// does the rest: detection, limits, positions and errors.
//
// runs.go decodes the format, from the start or from any member. scan.go finds its
// members without decoding them, for codec.Inspect and for units that decode side by
// side. The test holds both to the promises of package codec, with codectest.
//
//	go run ./examples/customcodec raster.csv.runs
package main

import (
	"context"
	"fmt"
	"io"

	"github.com/thaw-go/thaw/blob"
	_ "github.com/thaw-go/thaw/blob/filestore" // paths and file: URLs
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/examples/internal/cli"
	"github.com/thaw-go/thaw/stream"
)

const usage = `usage: %s FILE | FOLDER | GLOB | URL

Writes the records of every object on lines: key, index, data. Beside the built-in
codecs it knows a custom one, runs of equal bytes (extension .runs).
`

var run = cli.One("customcodec", usage, show)

func main() { cli.Main(run) }

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
		err = cli.Nothing(src.Name)
	}
	return err
}
