//go:build !purego && !noasm

package inflate

import (
	"unsafe"

	"golang.org/x/sys/cpu"

	"github.com/thaw-go/thaw/internal/decode/pattern"
)

// assembled says that the processor has what fastAVX2 uses. It is never written.
var assembled = cpu.X86.HasAVX2 && cpu.X86.HasBMI2 && cpu.X86.HasBMI1

// kernel is what fastAVX2 works on, at the offsets that it names. Pointers are to
// the first byte of their memory; places in it are indices, so that none points
// after its end.
type kernel struct {
	bits, n  uint64 // of the bitReader; only the low byte of n counts
	in       unsafe.Pointer
	pos      int
	inEnd    int // the last place at which a turn may begin
	out      unsafe.Pointer
	w        int
	outEnd   int // likewise
	floor    int
	lit      *litTable
	dist     *distTable
	patterns *pattern.Table
	e        uint64 // the entry at which it stopped
}

// fastAVX2 is the loop of fast in assembly. It reports why it stopped.
//
//go:noescape
func fastAVX2(k *kernel) stop

// pairAVX2 is pair in assembly.
//
//go:noescape
func pairAVX2(t *litTable)

// stop is why fastAVX2 stopped.
type stop uint64

const (
	stopRoom     stop = iota // little input or room is left
	stopBlockEnd             // at the end of a block
	stopLiteral              // no literal or length has the code e
	stopDistance             // no distance has the code e
	stopTooFar               // the distance of e is beyond the floor
)

// fastAssembled does what fast does. Its caller has looked at assembled.
func (d *Decoder) fastAssembled(slab []byte, floor, w int) (int, status) {
	k := kernel{
		bits: d.bits, n: uint64(d.n),
		in: unsafe.Pointer(unsafe.SliceData(d.buf)), pos: d.pos, inEnd: len(d.buf) - fastInput,
		out: unsafe.Pointer(unsafe.SliceData(slab)), w: w, outEnd: len(slab) - Slack, floor: floor,
		lit: d.lit, dist: d.dist, patterns: &patterns,
	}
	why := fastAVX2(&k)
	d.bits, d.n, d.pos = k.bits, uint(k.n&63), k.pos
	switch back := uint(k.e & 0xff); why {
	case stopBlockEnd:
		d.step = stepEndBlock
	case stopLiteral:
		return k.w, d.wrong(back, noLength)
	case stopDistance:
		return k.w, d.wrong(back, noDistance)
	case stopTooFar:
		return k.w, d.wrong(back, tooFar)
	}
	return k.w, more
}

// patterns is never written.
var patterns = pattern.Make()
