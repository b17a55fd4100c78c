//go:build !purego && !noasm

package byteindex

import "golang.org/x/sys/cpu"

// vector says that the processor has what scanVector uses. It is never written.
var vector = cpu.X86.HasAVX2 && cpu.X86.HasBMI1

// scanVector looks for c in up to n blocks at src, n > 0. It writes at + 1 + the
// index of each c to places, which has room for room of them, and stops before a
// block while less than a block's worth of room is left. It reports how many
// blocks it looked at and how many places it wrote; the slot after these may
// be overwritten.
//
//go:noescape
func scanVector(places *uint32, room int, src *byte, n int, c byte, at uint32) (blocks, found int)
