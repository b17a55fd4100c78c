package cli_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/codec/seek"
	"github.com/thaw-go/thaw/examples/internal/cli"
	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/stream"
)

// Every failure that a user can do something about says what, in a second line.
func TestHints(t *testing.T) {
	t.Parallel()
	at := func(op, store string, err error) error {
		return &blob.Error{Op: op, Store: store, Key: "k", Err: err}
	}
	record := func(err error) error {
		return &stream.Error{Key: "k", Class: stream.ClassBadRecord, Err: err}
	}
	for _, tt := range []struct {
		err    error
		status int
		hint   string
	}{
		{at("list", "s3://b", fs.ErrPermission), 1, "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; with anonymous=true"},
		{at("open", "gs://b", fs.ErrPermission), 1, "GOOGLE_APPLICATION_CREDENTIALS to a key file, or run gcloud auth application-default login; with anonymous=true"},
		{at("stat", "azblob://b", fs.ErrPermission), 1, "AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN or AZURE_STORAGE_CONNECTION_STRING, or run az login"},
		{at("read", "file:///d/", fs.ErrPermission), 1, "this user may not read it"},
		{at("put", "file:///d/", fs.ErrPermission), 1, "this user may not write there"},
		{at("read", "s3://b", blob.ErrTransient), 1, "check endpoint, network and proxy, and run again"},
		{at("read", "s3://b", fmt.Errorf("%w: %w", blob.ErrRetryBudget, blob.ErrTransient)), 1, "run again later"},
		{at("read", "s3://b", blob.ErrChanged), 1, "it was replaced while it was read: run again"},
		{at("read", "s3://b", blob.ErrArchived), 1, "thaw restore -request WHAT asks for it"},
		{at("read", "s3://b", fs.ErrNotExist), 1, "is the name right?"},
		{at("read", "file:///d/", syscall.ELOOP), 1, "-exclude GLOB leaves it out"},
		{cli.Of("k", &codec.Error{Codec: "compress", Err: codec.ErrUnsupported}), 1, "thaw cat -codec none"},
		{cli.Of("k", &frame.Error{Framer: "csv", Err: errors.Join(frame.ErrRecord, frame.ErrUnsupported, frame.ErrNoResync)}), 1, "iconv"},
		{cli.Of("k", &frame.Error{Framer: "tar", Err: errors.Join(frame.ErrRecord, frame.ErrUnsupported)}), 1, "-on-error skip goes on without it"},
		{record(&frame.Error{Framer: "json", Err: errors.Join(frame.ErrRecord, frame.ErrNoResync)}), 1, "and what follows in the object"},
		{record(&frame.Error{Framer: "tar", Err: io.ErrUnexpectedEOF}), 1, "it ends within a record"},
		{cli.In("index x", fmt.Errorf("codec: index: %w", codec.ErrCorrupt)), 1, "it is no index"},
		{at("open", "ftp://b", blob.ErrUnsupported), 2, "no store of this program reads that"},
		{at("open", "s3://b", fs.ErrInvalid), 2, "test -h says more"},
		{at("put", "file:///d/", fs.ErrInvalid), 1, ""},
		{cli.In("index x", fmt.Errorf("codec: %w", seek.ErrOtherVersion)), 1, "thaw index makes a new one"},
		{cli.In("index x", at("open", "s3://", fs.ErrInvalid)), 2, "test -h says more"},
		{cli.Of("k", &codec.Error{Codec: "gzip", Err: io.ErrUnexpectedEOF}), 1, "compare the size with the original's"},
		{cli.Of("k", &codec.Error{Codec: "gzip", Err: codec.ErrChecksum}), 1, "check them against the original"},
		{cli.Of("k", &codec.Error{Codec: "gzip", Err: codec.ErrTrailing}), 1, "see what wrote it there"},
		{cli.Of("k", &codec.Error{Codec: "zstd", Err: codec.ErrDictionary}), 1, "-dict"},
		{cli.Of("k", &codec.Error{Codec: "zstd", Err: &codec.LimitError{What: "window", Needed: 1 << 30, Allowed: 1}}), 1, "-max-window 1GiB -memory 2GiB"},
		{cli.Of("k", &codec.Error{Codec: "xz", Err: &codec.LimitError{What: "window", Needed: 1 << 30, Allowed: 1}}), 1, "-max-window 2GiB -memory 4GiB"},
		{cli.Of("k", &codec.Error{Codec: "snappy-hadoop", Err: &codec.LimitError{What: "chunk", Allowed: 8 << 20}}), 1, "-max-window 32MiB"},
		{cli.Of("k", &codec.LimitError{What: "memory", Needed: 35 << 20, Allowed: 26 << 20}), 1, "-max-window 64MiB"},
		{cli.Of("k", frame.ErrTooLong), 1, "-max-record"},
		{fmt.Errorf("stream: list s3://b: %w", &blob.Error{Op: "list", Store: "s3://b", Err: blob.ErrTransient}), 1, "check endpoint"},
		{cli.Nothing("file:///d/"), 1, "the pattern matches nothing"},
		{fmt.Errorf("write: %w", io.ErrShortWrite), 1, ""},
	} {
		var out bytes.Buffer
		status := (&cli.Flags{Memory: 256 << 20}).Console("test", &out).Fail(tt.err)
		line, hint, _ := strings.Cut(out.String(), "\n")
		if status != tt.status || !strings.HasPrefix(line, "test: ") || tt.hint == "" && hint != "" || strings.HasPrefix(tt.hint, "-max-window") && !strings.HasSuffix(hint, tt.hint+"\n") || !strings.Contains(hint, tt.hint) {
			t.Errorf("%v: got status %d, %q, want %d, %q", tt.err, status, out.String(), tt.status, tt.hint)
		}
		if n := strings.Count(line, "s3://b"); n > 1 {
			t.Errorf("%v: got %q, which names the store %d times", tt.err, line, n)
		}
		if _, ok := tt.err.(*stream.Error); ok && !strings.HasPrefix(line, "test: k: ") {
			t.Errorf("%v: got %q, want its key first", tt.err, line)
		}
	}
}
