//go:build !(amd64 || arm64) || purego

package zstd

import "encoding/binary"

// view is a byte slice; an index out of it panics.
type view []byte

func viewOf(b []byte) view { return b }

func load64(v view, i int) uint64 { return binary.LittleEndian.Uint64(v[i:]) }

func store64(v view, i int, x uint64) { binary.LittleEndian.PutUint64(v[i:], x) }

func store8(v view, i int, x byte) { v[i] = x }

// copy16 reads 16 bytes before it writes them.
func copy16(to view, i int, from view, j int) {
	a, b := load64(from, j), load64(from, j+8)
	store64(to, i, a)
	store64(to, i+8, b)
}
