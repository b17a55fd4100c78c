//go:build !(amd64 || arm64) || purego

package mem

import "encoding/binary"

// View is a byte slice. An index out of it panics.
type View []byte

// Of returns the view of b.
func Of(b []byte) View { return b }

// Load8 returns the byte at i.
func Load8(v View, i int) byte { return v[i] }

// Load64 returns the 8 bytes from i on, the lowest first.
func Load64(v View, i int) uint64 { return binary.LittleEndian.Uint64(v[i:]) }

// Store8 writes x at i.
func Store8(v View, i int, x byte) { v[i] = x }

// Store16 writes the 2 bytes of x from i on, the lowest first.
func Store16(v View, i int, x uint16) { binary.LittleEndian.PutUint16(v[i:], x) }

// Store64 writes the 8 bytes of x from i on, the lowest first.
func Store64(v View, i int, x uint64) { binary.LittleEndian.PutUint64(v[i:], x) }

// Copy16 copies 16 bytes. It reads them all before it writes.
func Copy16(to View, i int, from View, j int) {
	a, b := Load64(from, j), Load64(from, j+8)
	Store64(to, i, a)
	Store64(to, i+8, b)
}

// Table is a slice. An index out of it panics.
type Table[T any] []T

// TableOf returns the table of s.
func TableOf[T any](s []T) Table[T] { return s }

// At returns the element at i.
func (t Table[T]) At(i int) T { return t[i] }
