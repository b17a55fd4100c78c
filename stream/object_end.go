package stream

import (
	"fmt"
	"io"

	"github.com/thaw-go/thaw/codec"
)

// proven is io.EOF if every stored byte was read, whatever the decoder reports.
func (o *decodedReader) proven() error {
	var b [1]byte
	switch n, err := o.in.Read(b[:]); {
	case n > 0:
		return codec.ErrTrailing
	case err != io.EOF:
		return err
	}
	if err := o.stored.complete(); err != nil {
		return err
	}
	return io.EOF
}

// doubted is the end of an object that may have been cut, by the policy for what
// disagrees.
func (o *decodedReader) doubted() error {
	if o.dec == nil {
		return io.EOF
	}
	o.doubt = codec.Doubt(o.dec)
	o.trailingAt, o.trailing = codec.Trailing(o.dec)
	switch {
	case o.doubt == "":
	case o.config.OnConflict == FailOnConflict:
		return fmt.Errorf("%s: %w", o.doubt, io.ErrUnexpectedEOF)
	default:
		o.detection.Notes = append(o.detection.Notes, "may be cut: "+o.doubt)
	}
	return io.EOF
}
