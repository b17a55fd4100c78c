package xz

import (
	"bufio"
	"encoding/binary"

	"github.com/thaw-go/thaw/internal/decode/fault"
)

// Restart states. Both begin with their form and the check of the stream:
//
//	rest   blocks before, as a tally: the stream goes on here, index included
//	one    unpadded 8 | decoded 8 | first | last: one block, with what the index
//	       says of it; first, the stream's header stands before it; last, index
//	       and footer follow
const (
	stateRest = 1
	stateOne  = 2

	stateOneSize = 20
)

// unit is what a state of form one says.
type unit struct {
	kind              Check
	unpadded, decoded int64
	first, last       bool
}

func (u *unit) state() []byte {
	b := []byte{stateOne, byte(u.kind)}
	b = binary.LittleEndian.AppendUint64(b, uint64(u.unpadded))
	b = binary.LittleEndian.AppendUint64(b, uint64(u.decoded))
	return append(b, flag(u.first), flag(u.last))
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// State is what Resume needs to go on after the last block that was verified.
func (r *Reader) State() []byte {
	return r.blocks.append([]byte{stateRest, byte(r.kind)})
}

// Resume stands for Begin where src begins at a place that state, of State or of
// a [Unit], was made for.
func (r *Reader) Resume(src *bufio.Reader, state []byte) error {
	bad := fault.Corruptf("xz restart state")
	if len(state) < 2 || state[1]&0xf0 != 0 {
		return bad
	}
	r.src, r.only = src, nil
	r.start(Check(state[1]))
	switch {
	case state[0] == stateRest && r.blocks.restore(state[2:]):
		return nil
	case state[0] != stateOne || len(state) != stateOneSize:
		return bad
	}
	u := &unit{
		kind:     r.kind,
		unpadded: int64(binary.LittleEndian.Uint64(state[2:])),
		decoded:  int64(binary.LittleEndian.Uint64(state[10:])),
		first:    state[18] != 0,
		last:     state[19] != 0,
	}
	if u.first {
		header := r.buf[:HeaderSize]
		if err := full(src, header); err != nil {
			return err
		}
		kind, err := parseHeader(header)
		if err != nil {
			return err
		}
		if kind != u.kind {
			return fault.Corruptf("xz stream flags differ from those at the split")
		}
	}
	r.only = u
	return nil
}

// closeUnit compares a block with what the index says of it, where that is known
// beforehand, and ends after it unless the index follows.
func (r *Reader) closeUnit(unpadded int64) error {
	u := r.only
	switch {
	case u == nil:
		return nil
	case u.unpadded != unpadded || u.decoded != r.given:
		return fault.Corruptf("xz block is %d bytes from %d, the index says %d from %d", r.given, unpadded, u.decoded, u.unpadded)
	case u.last:
		return nil
	}
	return r.finish()
}

func unknownCheck(c Check) error {
	return fault.Unsupportedf("xz check of kind %d is not verified", c)
}
