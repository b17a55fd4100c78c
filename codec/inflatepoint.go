package codec

import (
	"encoding/binary"
	"fmt"
)

// inflateSpacing is how many decoded bytes lie between restart points, and the
// rest of a block. To keep one is to copy the window, some microseconds against
// a millisecond of decoding; to restart is to decode up to this much again.
const inflateSpacing = 1 << 20

// inflateMark is a restart point: a block border, as it was when it was passed.
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
// is the checksum of all data given, if there is one.
func (z *inflater) keep(sum uint32, summed bool) {
	m := &z.mark
	last := z.before
	if m.set {
		last = m.size
	}
	if z.size-last < inflateSpacing {
		return
	}
	bit, back, window, ok := z.engine.border(z.size, m.window[:0])
	if !ok {
		return
	}
	*m = inflateMark{
		set: true, bit: bit, summed: summed, sum: sum, window: window,
		stored: z.in.Offset() - back, given: z.size - z.before, size: z.size,
	}
	z.engine.stopAt(z.size + inflateSpacing)
}

// inflateStateSize is the length of a restart state without the window:
//
//	version | format | bit, 0x80 summed | sum 4 | size 8
//
// The format is that of the member.
const (
	inflateStateSize    = 15
	inflateStateVersion = 1
	inflateSummed       = 0x80
)

// point is the point of a format.
func (z *inflater) point(format byte) (Point, bool) {
	m := &z.mark
	if !m.set {
		return Point{}, false
	}
	if m.state == nil {
		s := make([]byte, inflateStateSize, inflateStateSize+len(m.window))
		s[0], s[1], s[2] = inflateStateVersion, format, m.bit
		if m.summed {
			s[2] |= inflateSummed
		}
		binary.LittleEndian.PutUint32(s[3:], m.sum)
		binary.LittleEndian.PutUint64(s[7:], uint64(m.size))
		m.state = append(s, m.window...)
	}
	return Point{Stored: m.stored, Decoded: m.given, State: m.state}, true
}

// resume stands for reset at a point. It returns the checksum of the data before,
// if that was kept up.
func (z *inflater) resume(in *Input, format byte, state []byte) (sum uint32, summed bool, err error) {
	if len(state) > 0 && state[0] != inflateStateVersion {
		return 0, false, fmt.Errorf("%w: version %d of a restart state", ErrUnsupported, state[0])
	}
	if len(state) < inflateStateSize || state[1] != format {
		return 0, false, fmt.Errorf("%w: restart state", ErrCorrupt)
	}
	bit, window := state[2]&^inflateSummed, state[inflateStateSize:]
	size := int64(binary.LittleEndian.Uint64(state[7:]))
	if bit > 7 || size < 0 || int64(len(window)) != min(size, inflateWindow) {
		return 0, false, fmt.Errorf("%w: restart state", ErrCorrupt)
	}
	z.in, z.size, z.before = in, size, size
	z.mark.drop()
	if err := z.engine.resume(in, bit, size, window); err != nil {
		return 0, false, err
	}
	z.engine.stopAt(size + inflateSpacing)
	return binary.LittleEndian.Uint32(state[3:]), state[2]&inflateSummed != 0, nil
}
