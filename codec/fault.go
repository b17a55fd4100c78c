package codec

import (
	"errors"
	"fmt"
	"io"

	"github.com/thaw-go/thaw/internal/decode/fault"
	"github.com/thaw-go/thaw/internal/decode/inflate"
)

// cause returns the error of a decoder under internal/decode as one of the causes of
// this package. It returns nil, io.EOF and errors of the source as they are.
func cause(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	if e, ok := errors.AsType[*fault.Error](err); ok {
		switch e.Kind {
		case fault.Checksum:
			return fmt.Errorf("%w: %s", ErrChecksum, e.What)
		case fault.Unsupported:
			return fmt.Errorf("%w: %s", ErrUnsupported, e.What)
		case fault.Window:
			return &LimitError{What: "window", Needed: e.Needed, Allowed: e.Allowed}
		case fault.Tables:
			return &LimitError{What: "table entries", Needed: e.Needed, Allowed: e.Allowed}
		}
		return fmt.Errorf("%w: %s", ErrCorrupt, e.What)
	}
	if e, ok := errors.AsType[*inflate.Error](err); ok {
		return e.Err // the decoder has its own offsets
	}
	return err
}
