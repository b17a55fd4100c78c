package cli_test

import (
	"fmt"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/examples/internal/cli"
	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/stream"
)

// A message says of what kind a failure is once, by its class: the words of the errors
// that the class stands for are left out.
func TestExplainSaysTheClassOnce(t *testing.T) {
	t.Parallel()
	record := func(class stream.Class, framer string, err error) error {
		return &stream.Error{Key: "k", Class: class, Record: 3, Offset: 9, Decoded: 7, Err: &frame.Error{Framer: framer, Err: err}}
	}
	for want, err := range map[string]error{
		"k: corrupt at stored offset 9 (decoded 7): zstd: not zstd data": cli.Of("k", &codec.Error{
			Codec: "zstd", Offset: 9, Decoded: 7, Err: fmt.Errorf("%w: not zstd data", codec.ErrCorrupt)}),
		"k: corrupt at stored offset 9 (decoded 7): zstd: corrupt data": cli.Of("k", &codec.Error{
			Codec: "zstd", Offset: 9, Decoded: 7, Err: codec.ErrCorrupt}),
		"k: checksum at stored offset 9 (decoded 7): gzip: CRC-32 is 1, the trailer says 2": cli.Of("k", &codec.Error{
			Codec: "gzip", Offset: 9, Decoded: 7, Err: fmt.Errorf("%w: CRC-32 is 1, the trailer says 2", codec.ErrChecksum)}),
		"k: changed at stored offset 9 (decoded 7): gzip: size 1, was 2": cli.Of("k", &codec.Error{
			Codec: "gzip", Offset: 9, Decoded: 7, Err: &blob.Error{Op: "read", Key: "k", Err: fmt.Errorf("size 1, was 2: %w", blob.ErrChanged)}}),
		"k: unsupported at stored offset 9 (decoded 7): 7z: it is not cut": cli.Of("k", &codec.Error{
			Codec: "7z", Offset: 9, Decoded: 7, Err: fmt.Errorf("%w: it is not cut", codec.ErrUnsupported)}),
		"k: record 3 at decoded offset 7 (stored 9): unsupported: csv: text in UTF-16LE": record(stream.ClassUnsupported, "csv",
			fmt.Errorf("%w: text in UTF-16LE: %w: %w", frame.ErrRecord, frame.ErrUnsupported, frame.ErrLost)),
		"k: record 3 at decoded offset 7 (stored 9): bad record: json: no JSON": record(stream.ClassBadRecord, "json",
			fmt.Errorf("%w: no JSON: %w", frame.ErrRecord, frame.ErrLost)),
		"k: record 3 at decoded offset 7 (stored 9): bad record: no user": &stream.Error{
			Key: "k", Class: stream.ClassBadRecord, Record: 3, Offset: 9, Decoded: 7, Err: fmt.Errorf("no user")},
	} {
		if got := (cli.Place{}).Explain(err); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
