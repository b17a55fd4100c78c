package codec

import (
	"fmt"
	"io"

	"github.com/thaw-go/thaw/internal/limits"
)

// Open returns a Decoder of src, the stored bytes, that decodes every layer of d. The caller
// closes it; that does not close src. Open reads nothing. opts may be nil. Every layer obeys
// opts; MaxRatio and Grow also hold for all layers together.
//
// For several layers, StoredOffset is that of the outermost layer, and there are no restart
// points. An error has an [*Error] for each layer that it passed; errors.As finds that of the
// innermost layer first. A layer that r does not have is [ErrUnsupported]. More than 4 layers
// are [ErrLimit].
func (r *Registry) Open(src io.Reader, d Detection, opts *Options) (Decoder, error) {
	if opts == nil {
		opts = new(Options)
	}
	names := d.layers()
	if len(names) > limits.Layers {
		return nil, &Error{Codec: d.Codec, Err: &LimitError{What: "layers", Needed: int64(len(names)), Allowed: limits.Layers}}
	}
	c := &chain{opts: *opts, outermost: d.Codec}
	held := layers{ask: opts.Grow}
	for _, name := range names {
		rec, ok := r.opens(name)
		if !ok {
			c.Close()
			return nil, &Error{Codec: name, Err: fmt.Errorf("%w: no decoder for this format", ErrUnsupported)}
		}
		own := opts
		if opts.Grow != nil && len(names) > 1 {
			own = held.options(opts, rec)
		}
		dec, err := rec.NewReader(src, own)
		if err != nil {
			c.Close()
			return nil, err
		}
		c.layers = append(c.layers, dec)
		src = dec
	}
	if len(c.layers) == 1 {
		return c.layers[0], nil
	}
	if opts.Grow != nil {
		if err := opts.Grow(held.sum); err != nil {
			c.Close()
			return nil, &Error{Codec: d.Codec, Err: err}
		}
	}
	return c, nil
}

// chain is a Decoder of several layers, outermost first.
type chain struct {
	layers    []Decoder
	opts      Options
	outermost string
	given     int64
	err       error
}

func (c *chain) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.layers[len(c.layers)-1].Read(p)
	c.given += int64(n)
	stored := c.StoredOffset()
	if ratio := c.opts.MaxRatio; ratio > 0 && stored > 0 && err == nil && c.given > ratioFloor && c.given/ratio > stored {
		c.err = &Error{
			Codec: c.outermost, StoredOffset: stored, DecodedOffset: c.given,
			Err: &LimitError{What: "expansion ratio", Allowed: ratio},
		}
	}
	return n, err
}

// StoredOffset implements [Positioned]: that of the outermost layer, 0 if it has none.
func (c *chain) StoredOffset() int64 {
	if p, ok := c.layers[0].(Positioned); ok {
		return p.StoredOffset()
	}
	return 0
}

// Trailing implements [Trailing]: that of the outermost layer that ignored bytes, in its
// own offsets.
func (c *chain) Trailing() (offset, size int64) {
	for _, l := range c.layers {
		if offset, size := Trailing(l); size > 0 {
			return offset, size
		}
	}
	return 0, 0
}

func (c *chain) Reset(src io.Reader) error {
	c.given, c.err = 0, nil
	for _, l := range c.layers {
		if err := l.Reset(src); err != nil {
			return err
		}
		src = l
	}
	return nil
}

// Close closes the layers, innermost first, and returns the first error.
func (c *chain) Close() error {
	var first error
	for i := len(c.layers) - 1; i >= 0; i-- {
		if err := c.layers[i].Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}
