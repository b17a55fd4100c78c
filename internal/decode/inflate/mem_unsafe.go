//go:build (amd64 || arm64) && !purego

package inflate

import "unsafe"

// view is the memory of a byte slice without its length.
//
// Invariants of its users, that is of the fast loop: an index is at least 0, and
// what is read or written ends within the slice, for which the loop leaves a
// turn while less than fastInput bytes of input or Slack bytes of room remain.
// The slice outlives the view. The architectures of this file store the lowest
// byte first and need no alignment.
type view struct{ p unsafe.Pointer }

func viewOf(b []byte) view { return view{unsafe.Pointer(unsafe.SliceData(b))} }

func load64(v view, i int) uint64 { return *(*uint64)(unsafe.Add(v.p, i)) }

func store64(v view, i int, x uint64) { *(*uint64)(unsafe.Add(v.p, i)) = x }

func store16(v view, i int, x uint16) { *(*uint16)(unsafe.Add(v.p, i)) = x }

// copy16 reads 16 bytes before it writes them.
func copy16(v view, to, from int) {
	*(*[16]byte)(unsafe.Add(v.p, to)) = *(*[16]byte)(unsafe.Add(v.p, from))
}
