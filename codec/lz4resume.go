package codec

import (
	"encoding/binary"
	"fmt"

	"github.com/thaw-go/thaw/internal/decode/xxh32"
)

// lz4Mark is the state of lz4Frames in front of a block.
type lz4Mark struct {
	stored int64 // as Input.Offset counts
	given  int64
	total  uint64
	blocks int
	sum    xxh32.Digest
}

func (f *lz4Frames) setMark() {
	f.mark = lz4Mark{stored: f.in.Offset(), given: f.given, total: f.total, blocks: f.blocks, sum: f.sum}
	f.torn = true
}

// lz4StateSize is the length of a restart state without history:
//
//	flg bd | hashed | begun | size 8 | total 8 | lanes 16 | tail 16
//
// flg is 0 for a legacy frame. hashed says that the content checksum was kept up;
// begun that a legacy block came before.
const lz4StateSize = 52

// point implements resumer: every block begins at one. Linked blocks carry the
// 64 KiB before them in State.
func (f *lz4Frames) point() (Point, bool) {
	if len(f.rest) == 0 && !f.torn {
		f.setMark()
		f.torn = false
	}
	m := &f.mark
	s := make([]byte, lz4StateSize, lz4StateSize+lz4History)
	s[0], s[1] = f.h.flg, f.h.bd
	if f.verify {
		s[2] = 1
	}
	if m.blocks > 0 {
		s[3] = 1
	}
	binary.LittleEndian.PutUint64(s[4:], f.h.size)
	binary.LittleEndian.PutUint64(s[12:], m.total)
	m.sum.AppendState(s[:20])
	if f.h.linked {
		w := f.window
		w.end -= int(f.total - m.total)
		s = append(s, w.history()...)
	}
	return Point{Stored: m.stored, Decoded: m.given, State: s}, true
}

// resume implements resumer.
func (f *lz4Frames) resume(in *Input, state []byte) error {
	bad := fmt.Errorf("%w: lz4 restart state", ErrCorrupt)
	if len(state) < lz4StateSize {
		return bad
	}
	f.in, f.rest, f.given = in, nil, 0
	f.h = lz4Header{legacy: true, blockMax: lz4LegacyMax}
	if state[0] != 0 {
		var b [lz4MaxHeader]byte
		b[0], b[1] = state[0], state[1]
		copy(b[2:], state[4:12])
		n := lz4DescriptorSize(b[0])
		b[n-1] = byte(xxh32.Of(0, b[:n-1]) >> 8)
		var err error
		if f.h, err = parseLZ4Descriptor(b[:n]); err != nil {
			return bad
		}
	}
	if err := f.opts.admit(lz4History, f.h.needs().Memory); err != nil {
		return err
	}
	f.verify = f.verify && state[2] != 0
	f.inside, f.blocks = true, int(state[3])
	f.total = binary.LittleEndian.Uint64(state[12:])
	f.sum.Restore(0, f.total, state[20:])
	f.window.end = 0
	f.window.store(state[lz4StateSize:])
	f.setMark()
	f.torn = false
	return nil
}
