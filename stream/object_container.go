package stream

import (
	"fmt"
	"io"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/internal/limits"
)

// refuseContainer is the error for an object whose decoded data no framer cuts, for
// whoever wants its records. One that asks for a framer by name has them; so has one
// whose own framer is for what the extension names.
func (o *opened) refuseContainer() error {
	if !o.refuses || o.detection.Container == "" {
		return nil
	}
	return &codec.Error{
		Codec: o.detection.Container, Offset: o.storedOffset(),
		Err: fmt.Errorf("%w: it is not cut into records, unless a framer is asked for", codec.ErrUnsupported),
	}
}

// refusesContainers tells whether f was chosen without anyone asking for it.
func (r *readConfig) refusesContainers(f frame.Framer, extension string) bool {
	if r.framer != nil {
		return false
	}
	builtin, err := frame.Default().Choose("", extension)
	return err == nil && builtin.Framer.Name == f.Name
}

// examine looks at the first decoded bytes, p, whose read ended with err. A few bytes
// alone are kept until more follow.
func (o *opened) examine(p []byte, err error) {
	head := p
	if len(o.head) > 0 {
		o.head = append(o.head, p[:min(len(p), limits.Head)]...)
		head = o.head
	}
	switch {
	case !o.r.Codecs.Examine(&o.detection, head, err != nil):
		o.examining, o.head = false, nil
	case len(o.head) == 0:
		o.head = append(o.head, p...)
	}
}

// doubted is the end of an object that may have been cut, by the policy for what
// disagrees.
func (o *opened) doubted() error {
	if o.dec == nil {
		return io.EOF
	}
	o.doubt = codec.Doubt(o.dec)
	switch {
	case o.doubt == "":
	case o.r.OnConflict == FailOnConflict:
		return fmt.Errorf("%s: %w", o.doubt, io.ErrUnexpectedEOF)
	default:
		o.detection.Notes = append(o.detection.Notes, "may be cut: "+o.doubt)
	}
	return io.EOF
}
