package ahead

import (
	"io"

	"github.com/thaw-go/thaw/codec"
)

// finder finds where units begin in stored bytes that it is shown piece by piece. It is done
// where the headers say no more, or are wrong: what follows is of the last unit.
type finder struct {
	s       codec.Scanner    // nil once done
	next    func([]byte) int // Codec.NextMember; nil for none
	guess   bool             // headers say no more: next finds members
	member  int64            // offset of the last one found
	size    int64            // of the object
	off     int64            // of the next step
	seen    int64            // of the bytes that look gets next
	carry   []byte           // from off on: too short for a step
	idle    int              // steps in a row without bytes
	decoded int64            // of the unit, as far as headers say; -1: they do not
	stated  bool             // the member has stated its size
}

const (
	mostCarried = 256 << 10 // the longest header
	mostIdle    = 4         // steps without bytes that may follow one another
	mostMember  = 16 << 20  // how far the next member is searched: others are few
)

// start is where a unit begins.
type start struct {
	offset  int64
	state   []byte
	decoded int64 // of the unit before it; -1 if not known
}

// look scans b, which follows what it was shown before, and calls found for each unit that
// begins in it or shortly before, in order.
func (f *finder) look(b []byte, found func(start)) {
	if f.s == nil && !f.guess {
		return
	}
	buf, base := b, f.seen // what is at hand, and its offset
	f.seen += int64(len(b))
	if len(f.carry) > 0 {
		base -= int64(len(f.carry))
		f.carry = append(f.carry, b...)
		buf = f.carry
	}
	for f.off < f.seen && !f.guess {
		rest := buf[f.off-base:]
		st, err := f.s.Scan(rest, f.size-f.off)
		if err == io.ErrShortBuffer && len(rest) < mostCarried {
			f.carry = append(f.carry[:0], rest...)
			return
		}
		if err != nil || !f.take(&st, found) {
			f.s = nil
			if f.guess = err == nil && st.Role == codec.StepRest && f.next != nil; !f.guess {
				f.carry = nil
				return
			}
			f.off++
		}
	}
	if f.guess {
		f.members(buf, base, found)
		return
	}
	f.carry = f.carry[:0]
}

// members calls found where members seem to begin in buf, which begins at the offset base.
func (f *finder) members(buf []byte, base int64, found func(start)) {
	for {
		rest := buf[min(int64(len(buf)), f.off-base):]
		i := f.next(rest)
		if i < 0 && base+int64(len(buf))-f.member > mostMember {
			f.guess, f.carry = false, nil
			return
		}
		if i < 0 {
			rest = rest[max(0, len(rest)-codec.MemberLook+1):]
			f.off = base + int64(len(buf)-len(rest))
			f.carry = append(f.carry[:0], rest...)
			return
		}
		f.off += int64(i)
		f.member = f.off
		found(start{offset: f.off, decoded: -1})
		f.off++
	}
}

// take goes past a step. It returns false if the finder is done.
func (f *finder) take(st *codec.Step, found func(start)) bool {
	if st.Unit {
		if f.off > 0 {
			found(start{offset: f.off, state: st.State, decoded: f.decoded})
		}
		f.decoded = 0
	}
	if st.Size < 0 || st.Size > f.size-f.off || st.Role == codec.StepRest {
		return false
	}
	if f.idle++; st.Size > 0 {
		f.idle = 0
	}
	if f.idle > mostIdle {
		return false
	}
	f.add(st)
	f.off += st.Size
	return true
}

// add adds up what the unit decodes to.
func (f *finder) add(st *codec.Step) {
	n := st.Decoded
	switch st.Role {
	case codec.StepBegin:
		if f.stated = n >= 0; !f.stated {
			n = 0
		}
	case codec.StepBlock, codec.StepEnd:
		if f.stated {
			n = 0
		}
		f.stated = f.stated && st.Role == codec.StepBlock
	case codec.StepSkip:
		n = 0
	}
	if n < 0 || f.decoded < 0 {
		f.decoded = -1
		return
	}
	f.decoded += n
}

// done reports whether no more units can be found.
func (f *finder) done() bool { return f.s == nil && !f.guess }
