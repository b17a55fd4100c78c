package codec

import (
	"fmt"

	"github.com/thaw-go/thaw/internal/decode/inflate"
)

// inflateSpacing is how many decoded bytes lie between restart points, and the
// rest of a block. To keep one is to copy the window, some microseconds against
// a millisecond of decoding; to restart is to decode up to this much again.
const inflateSpacing = 1 << 20

// inflateMark is a restart point: a block end, as it was when it was passed.
type inflateMark struct {
	set    bool
	bit    uint8 // bits of the first byte that belong to the block before
	summed bool  // sum is kept up
	sum    uint32
	stored int64  // as Input.Offset counts
	given  int64  // since begin or resume
	size   int64  // of the stream
	window []byte // what came before, for the next block to refer to
	state  []byte // made of it when asked for; not changed any more
}

func (m *inflateMark) drop() { m.set, m.state = false, nil }

// keep remembers where the inflater stands if a restart point is due there. sum
// is the checksum of all data returned, if there is one.
func (z *inflater) keep(sum uint32, summed bool) {
	m := &z.mark
	last := z.before
	if m.set {
		last = m.size
	}
	if z.size-last < inflateSpacing {
		return
	}
	bit, back, window, ok := z.engine.blockEnd(z.size, m.window[:0])
	if !ok {
		return
	}
	*m = inflateMark{
		set: true, bit: bit, summed: summed, sum: sum, window: window,
		stored: z.in.Offset() - back, given: z.size - z.before, size: z.size,
	}
	z.engine.stopAt(z.size + inflateSpacing)
}

// point is the point of a format.
func (z *inflater) point(format byte) (Point, bool) {
	m := &z.mark
	if !m.set {
		return Point{}, false
	}
	if m.state == nil {
		s := inflate.State{Format: format, Bit: m.bit, Summed: m.summed, Sum: m.sum, Size: m.size, Window: m.window}
		m.state = s.Append(nil)
	}
	return Point{Stored: m.stored, Decoded: m.given, State: m.state}, true
}

// resume stands for reset at a point. It returns the checksum of the data before,
// if that was kept up.
func (z *inflater) resume(in *Input, format byte, state []byte) (sum uint32, summed bool, err error) {
	if len(state) > 0 && state[0] != inflate.StateVersion {
		return 0, false, fmt.Errorf("%w: version %d of a restart state", ErrUnsupported, state[0])
	}
	s, ok := inflate.ParseState(state)
	if !ok || s.Format != format {
		return 0, false, fmt.Errorf("%w: restart state", ErrCorrupt)
	}
	z.in, z.size, z.before = in, s.Size, s.Size
	z.mark.drop()
	if err := z.engine.resume(in, s.Bit, s.Size, s.Window); err != nil {
		return 0, false, err
	}
	z.engine.stopAt(s.Size + inflateSpacing)
	return s.Sum, s.Summed, nil
}
