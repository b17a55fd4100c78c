package cli_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/examples/internal/cli"
	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/stream"
)

// A message says each thing once: the position around the cause and not in it, and the
// class where the cause does not name it.
func TestExplainSaysEachThingOnce(t *testing.T) {
	t.Parallel()
	record := func(class stream.Class, framer string, err error) error {
		return &stream.Error{Key: "k", Class: class, Offset: 9, Decoded: 7,
			Err: &stream.RecordError{Index: 3, Err: &frame.Error{Framer: framer, Offset: 5, Err: err}}}
	}
	for want, err := range map[string]error{
		"k at stored offset 9 (decoded 7): zstd: corrupt data: not zstd data": cli.Of("k", &codec.Error{
			Codec: "zstd", StoredOffset: 9, DecodedOffset: 7, Err: fmt.Errorf("%w: not zstd data", codec.ErrCorrupt)}),
		"k at stored offset 9 (decoded 7): truncated: gzip: unexpected EOF": cli.Of("k", &codec.Error{
			Codec: "zstd", StoredOffset: 9, DecodedOffset: 7, Err: &codec.Error{Codec: "gzip", StoredOffset: 8, DecodedOffset: 6, Err: io.ErrUnexpectedEOF}}),
		"k at stored offset 9 (decoded 7): size 1, was 2: object changed while it was read": cli.Of("k", &codec.Error{
			Codec: "gzip", StoredOffset: 9, DecodedOffset: 7, Err: &blob.Error{Op: "read", Key: "k", Offset: 9, Err: fmt.Errorf("size 1, was 2: %w", blob.ErrChanged)}}),
		"k: file does not exist": &blob.Error{Op: "read", Key: "k", Err: fs.ErrNotExist},
		"list s: no such host":   &blob.Error{Op: "list", Store: "s", Err: driver.ErrNoHost},
		"k record 3 at decoded offset 7: csv: bad record: text in UTF-16LE: not supported": record(stream.ClassUnsupported, "csv",
			fmt.Errorf("%w: text in UTF-16LE: %w", frame.ErrRecord, frame.ErrUnsupported)),
		"k record 3 at decoded offset 7: bad_record: no user": &stream.Error{
			Key: "k", Class: stream.ClassBadRecord, Offset: 9, Decoded: 7, Err: &stream.RecordError{Index: 3, Err: errors.New("no user")}},
	} {
		if got := (cli.Place{}).Explain(err); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
