package stream_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/stream"
)

// A message has each fact once: key, record and position from the outer error, then the
// cause that is innermost, with the class where that does not name it.
func TestMessages(t *testing.T) {
	t.Parallel()
	cut := &codec.Error{Codec: "gzip", StoredOffset: 9, DecodedOffset: 7, Err: io.ErrUnexpectedEOF}
	for _, tt := range []struct {
		why  string
		err  *stream.Error
		want string
	}{
		{"the zero value claims no place", &stream.Error{Key: "a", Err: io.ErrNoProgress}, `stream: "a": multiple Read calls return no data or error`},
		{"position around a codec's", &stream.Error{Key: "a", Class: stream.ClassTruncated, Offset: 9, Decoded: 7, Err: cut},
			`stream: "a" at stored offset 9 (decoded 7): truncated: gzip: unexpected EOF`},
		{"layers", &stream.Error{Key: "a", Class: stream.ClassTruncated, Offset: 9, Decoded: 7, Err: &codec.Error{Codec: "zstd", StoredOffset: 1, Err: cut}},
			`stream: "a" at stored offset 9 (decoded 7): truncated: gzip: unexpected EOF`},
		{"a store under a codec", &stream.Error{Key: "a", Class: stream.ClassTransient, Offset: 9, Decoded: 7,
			Err: &codec.Error{Codec: "gzip", StoredOffset: 9, DecodedOffset: 7, Err: &blob.Error{Op: "read", Store: "s", Key: "a", Offset: 9, Err: blob.ErrTransient}}},
			`stream: "a" at stored offset 9 (decoded 7): temporary failure`},
		{"nothing was read", &stream.Error{Key: "a", Class: stream.ClassMissing, Err: &blob.Error{Op: "read", Store: "s", Key: "a", Err: fs.ErrNotExist}},
			`stream: "a": file does not exist`},
		{"a framer", &stream.Error{Key: "a", Class: stream.ClassBadRecord, Offset: 9, Decoded: 7,
			Err: &stream.RecordError{Index: 3, Err: &frame.Error{Framer: "csv", Offset: 5, Err: fmt.Errorf("%w: fields: 2", frame.ErrRecord)}}},
			`stream: "a" record 3 at decoded offset 7: csv: bad record: fields: 2`},
		{"a parser", &stream.Error{Key: "a", Class: stream.ClassBadRecord, Decoded: 7, Err: &stream.RecordError{Index: 3, Err: errors.New("no user")}},
			`stream: "a" record 3 at decoded offset 7: bad_record: no user`},
		{"a source", &stream.Error{Source: "s", Class: stream.ClassDenied, Err: &blob.Error{Op: "list", Store: "s", Err: fs.ErrPermission}},
			`stream: s: list: permission denied`},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.why, got, tt.want)
		}
	}
}
