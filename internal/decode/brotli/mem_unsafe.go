//go:build (amd64 || arm64) && !purego

package brotli

import "unsafe"

// view is the memory of a byte slice without its length.
//
// Invariants of its users: an index is at least 0, and what is read or written
// ends within the slice. Each fast loop states why that holds. The slice outlives
// the view. The architectures of this file store the lowest byte first and need
// no alignment. The tag purego puts checked slices in the place of views, on which
// the same tests run.
type view struct{ p unsafe.Pointer }

func viewOf(b []byte) view { return view{unsafe.Pointer(unsafe.SliceData(b))} }

func load8(v view, i int) byte { return *(*byte)(unsafe.Add(v.p, i)) }

func load64(v view, i int) uint64 { return *(*uint64)(unsafe.Add(v.p, i)) }

func store8(v view, i int, x byte) { *(*byte)(unsafe.Add(v.p, i)) = x }

func store64(v view, i int, x uint64) { *(*uint64)(unsafe.Add(v.p, i)) = x }

// copy16 reads 16 bytes before it writes them.
func copy16(v view, to, from int) {
	*(*[16]byte)(unsafe.Add(v.p, to)) = *(*[16]byte)(unsafe.Add(v.p, from))
}

// tables are tables of codes without the length of all; an index is within one.
type tables struct{ p unsafe.Pointer }

func tablesOf(t []entry) tables { return tables{unsafe.Pointer(unsafe.SliceData(t))} }

func loadEntry(t tables, i int) entry { return *(*entry)(unsafe.Add(t.p, 2*i)) }
