package stream

import (
	"fmt"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/internal/limits"
)

// containerCheck looks at the first decoded bytes for what no framer cuts.
type containerCheck struct {
	examining bool   // they are still to be looked at
	head      []byte // of them, while they are too few to decide
	refuses   bool   // a container is an error
}

// refuseContainers implements byteReader.
func (o *decodedReader) refuseContainers() { o.container.refuses = true }

// containerError is the error for an object whose decoded data no framer cuts, for
// whoever wants its records. One that asks for a framer by name has them; so has one
// whose own framer is for what the extension names.
func (o *decodedReader) containerError() error {
	if !o.container.refuses || o.detection.Container == "" {
		return nil
	}
	return &codec.Error{
		Codec: o.detection.Container, StoredOffset: o.storedOffset(),
		Err: fmt.Errorf("%w: it is not split into records, unless a framer is asked for", codec.ErrUnsupported),
	}
}

// refusesContainers reports whether f was chosen without anyone asking for it.
func (r *readConfig) refusesContainers(f frame.Framer, extension string) bool {
	if r.framer != nil {
		return false
	}
	builtin, err := frame.Default().Choose("", extension)
	return err == nil && builtin.Framer.Name == f.Name
}

// examine looks at the first decoded bytes, p, whose read ended with err. A few bytes
// alone are kept until more follow.
func (o *decodedReader) examine(p []byte, err error) {
	head := p
	if len(o.container.head) > 0 {
		o.container.head = append(o.container.head, p[:min(len(p), limits.Head)]...)
		head = o.container.head
	}
	switch {
	case !o.config.Codecs.Examine(&o.detection, head, err != nil):
		o.container.examining, o.container.head = false, nil
	case len(o.container.head) == 0:
		o.container.head = append(o.container.head, p...)
	}
}
