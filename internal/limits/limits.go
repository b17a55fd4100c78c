// Package limits holds the figures on which codec, its subpackages and stream agree.
package limits

const (
	// Head is how many first bytes of an object decide how it is encoded.
	Head = 4096

	// Layers is how many codecs one object may be nested in.
	Layers = 4

	// State is how many bytes the State of a codec.Point may have.
	State = 128 << 10
)
