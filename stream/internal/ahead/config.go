package ahead

import (
	"context"
	"io"
	"time"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/meter"
	"github.com/thaw-go/thaw/internal/slab"
	"github.com/thaw-go/thaw/stream/internal/permit"
)

// Config is what a Decoder needs.
type Config struct {
	Codec   codec.Codec
	Options codec.Options // of helpers; Grow is replaced

	Source  io.Reader   // the stored bytes; it waits where it must
	Arrived func() bool // whether Source has bytes without a wait
	Size    int64       // of the object

	Host          Host
	Workers       int   // the most helpers
	DecoderMemory int64 // what the decoder of a helper may take, in bytes
	Permits       *permit.Set
	Slabs         *slab.List
	Head          int // bytes at the front of a slab that are left free
}

// Host is the lane that reads the object. Its methods are called by the goroutine that calls
// Read, but for Label.
type Host interface {
	// TryMemory reserves n bytes if that is possible without a wait.
	TryMemory(n int64) bool

	// ReleaseMemory returns n bytes.
	ReleaseMemory(n int64)

	// Restart opens a decoder that begins at p, for the inline decoding of what follows. It
	// is called after the one before was closed.
	Restart(in *codec.Input, p codec.Point) (codec.Decoder, error)

	// Await calls wait without holding a permit. The time counts as the stages of m;
	// decoding is how much of it was decode.
	Await(m *meter.Meter, wait func(ctx context.Context) error) (decoding time.Duration, err error)

	// Label sets the profiler's labels of a helper's goroutine.
	Label()
}
