//go:build (amd64 || arm64) && !purego

package mem

import "unsafe"

// View is the memory of a byte slice without its length. The slice outlives it.
//
// An index is at least 0, and what is read or written ends within the slice: the
// caller states why. The architectures of this file store the lowest byte first and
// need no alignment.
type View struct{ p unsafe.Pointer }

// Of returns the view of b.
func Of(b []byte) View { return View{unsafe.Pointer(unsafe.SliceData(b))} }

// Pointer returns the address of index 0, for loops in assembly.
func (v View) Pointer() unsafe.Pointer { return v.p }

// Load8 returns the byte at i.
func Load8(v View, i int) byte { return *(*byte)(unsafe.Add(v.p, i)) }

// Load64 returns the 8 bytes from i on, the lowest first.
func Load64(v View, i int) uint64 { return *(*uint64)(unsafe.Add(v.p, i)) }

// Store8 writes x at i.
func Store8(v View, i int, x byte) { *(*byte)(unsafe.Add(v.p, i)) = x }

// Store16 writes the 2 bytes of x from i on, the lowest first.
func Store16(v View, i int, x uint16) { *(*uint16)(unsafe.Add(v.p, i)) = x }

// Store64 writes the 8 bytes of x from i on, the lowest first.
func Store64(v View, i int, x uint64) { *(*uint64)(unsafe.Add(v.p, i)) = x }

// Copy16 copies 16 bytes. It reads them all before it writes.
func Copy16(to View, i int, from View, j int) {
	*(*[16]byte)(unsafe.Add(to.p, i)) = *(*[16]byte)(unsafe.Add(from.p, j))
}

// Table is the memory of a slice without its length. The slice outlives it, and an
// index is within it.
type Table[T any] struct{ p *T }

// TableOf returns the table of s.
func TableOf[T any](s []T) Table[T] { return Table[T]{unsafe.SliceData(s)} }

// At returns the element at i.
func (t Table[T]) At(i int) T {
	return *(*T)(unsafe.Add(unsafe.Pointer(t.p), uintptr(i)*unsafe.Sizeof(*t.p)))
}
