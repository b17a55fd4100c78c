//go:build !purego && !noasm

package zstd

import (
	"unsafe"

	"golang.org/x/sys/cpu"

	"github.com/thaw-go/thaw/internal/decode/pattern"
)

// assembled says that the processor has what the kernels use. It is never written.
var assembled = cpu.X86.HasAVX2 && cpu.X86.HasBMI2 && cpu.X86.HasBMI1

// kernel is what the assembled loops work on. Sequences are first decoded, as many
// as there is room for, then executed: so a wrong guess about the length of a copy
// does not hold up the chain of states. Pointers are to the first byte of their
// memory; places in it are indices, so that none points past its end.
type kernel struct {
	// Of decodeBMI2.
	in       unsafe.Pointer // the bits of the section
	left     int            // how many are to come
	low      int            // as many must be left for a turn
	tables   *tables
	literal  uint // states
	match    uint
	offset   uint
	repeated repeats // but for the last

	// Of executeAVX2.
	out      unsafe.Pointer
	w        int // where the next sequence is executed
	blockEnd int
	lit      unsafe.Pointer
	at, size int // of the next literal; how many there are
	window   uint64
	oldEnd   int // where old bytes end if they are those of the buffer, else 0
	patterns *pattern.Table

	n     int // sequences decoded, of which
	done  int // are executed
	batch [batchSize]sequence
}

const batchSize = 128

// decodeBMI2 decodes up to n sequences into the batch, and sets n to how many it
// did, one at least. Offsets are those to be used. left is at least 8*lead-7.
//
//go:noescape
func decodeBMI2(k *kernel)

// executeAVX2 executes the batch from done up to n. It stops at a sequence that it
// leaves to executeOne.
//
//go:noescape
func executeAVX2(k *kernel)

// decodeBatch decodes and executes up to n sequences, and returns how many.
func (d *decoder) decodeBatch(n int) (int, error) {
	if !assembled {
		return d.decodeBatchPortable(n)
	}
	k := &d.kernel
	d.begin(k, n)
	decodeBMI2(k)
	d.end(k)
	err := d.execute(k)
	k.in, k.out, k.lit = nil, nil, nil // no buffer is held longer than it is used
	return k.n, err
}

// begin prepares to decode up to n sequences, end takes over where that came to.
func (d *decoder) begin(k *kernel, n int) {
	s := &d.bits
	k.in = unsafe.Pointer(unsafe.SliceData(s.b))
	k.left, k.low, k.tables = 8*s.p-s.c, 8*lead, &d.tables
	k.literal, k.match, k.offset = s.literal, s.match, s.offset
	k.repeated = d.execution.repeated
	k.n = min(n, batchSize)
}

func (d *decoder) end(k *kernel) {
	s := &d.bits
	s.p = (k.left + 7) >> 3
	s.c = 8*s.p - k.left
	s.literal, s.match, s.offset = k.literal, k.match, k.offset
	d.execution.repeated = repeatsOf(k.repeated[0], k.repeated[1], k.repeated[2])
}

// execute executes the batch.
func (d *decoder) execute(k *kernel) error {
	o, x := &d.out, &d.execution
	k.out, k.blockEnd = unsafe.Pointer(unsafe.SliceData(o.buf)), x.end
	k.lit, k.size = x.lit.Pointer(), x.size
	k.window, k.oldEnd = uint64(o.window), 0
	if o.full {
		k.oldEnd = len(o.old)
	}
	k.patterns = &patterns
	for k.done = 0; ; k.done++ {
		k.w, k.at = o.w, x.at
		executeAVX2(k)
		o.w, x.at = k.w, k.at
		if k.done == k.n {
			return nil
		}
		if err := d.executeOne(k.batch[k.done], k.batch[k.done].offset); err != nil {
			return err
		}
	}
}

// decodeStreamsBMI2 is streams.portable in assembly.
//
//go:noescape
func decodeStreamsBMI2(s *streams)

// decode does the turns.
func (s *streams) decode() {
	if assembled {
		decodeStreamsBMI2(s)
		return
	}
	s.portable()
}

// patterns is never written.
var patterns = pattern.Make()
