package codec

import (
	"errors"
	"fmt"
	"io"

	"github.com/thaw-go/thaw/internal/decode/brotli"
	"github.com/thaw-go/thaw/internal/decode/bzip2"
	"github.com/thaw-go/thaw/internal/decode/inflate"
	"github.com/thaw-go/thaw/internal/decode/lzma"
	"github.com/thaw-go/thaw/internal/decode/zstd"
)

// cause returns the error of a decoder under internal/decode as one of the causes of
// this package. It returns nil, io.EOF and errors of the source as they are.
func cause(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	if e, ok := errors.AsType[*inflate.Error](err); ok {
		if e.Err != inflate.ErrCorrupt {
			return e.Err
		}
		return fmt.Errorf("%w: invalid deflate block: %s", ErrCorrupt, e.Reason)
	}
	if e, ok := errors.AsType[*zstd.Error](err); ok {
		return fmt.Errorf("%w: %s", ErrCorrupt, e.Reason)
	}
	if e, ok := errors.AsType[*zstd.WorkError](err); ok {
		return &LimitError{What: "table entries", Needed: e.Needed, Allowed: e.Allowed}
	}
	if e, ok := errors.AsType[*brotli.Error](err); ok {
		return fmt.Errorf("%w: %s", ErrCorrupt, e.Reason)
	}
	if e, ok := errors.AsType[bzip2.CorruptError](err); ok {
		return fmt.Errorf("%w: %v", ErrCorrupt, e)
	}
	if e, ok := errors.AsType[*bzip2.ChecksumError](err); ok {
		return fmt.Errorf("%w: %v", ErrChecksum, e)
	}
	if e, ok := errors.AsType[*lzma.Fault](err); ok {
		switch e.Cause {
		case lzma.Checksum:
			return fmt.Errorf("%w: %s", ErrChecksum, e.What)
		case lzma.Unsupported:
			return fmt.Errorf("%w: %s", ErrUnsupported, e.What)
		case lzma.Window:
			return &LimitError{What: "window", Needed: e.Needed, Allowed: e.Allowed}
		}
		return fmt.Errorf("%w: %s", ErrCorrupt, e.What)
	}
	return err
}
