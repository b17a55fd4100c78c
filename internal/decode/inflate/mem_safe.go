//go:build !(amd64 || arm64) || purego

package inflate

import "encoding/binary"

// view is a byte slice; an index out of it panics.
type view []byte

func viewOf(b []byte) view { return b }

func load64(v view, i int) uint64 { return binary.LittleEndian.Uint64(v[i:]) }

func store64(v view, i int, x uint64) { binary.LittleEndian.PutUint64(v[i:], x) }

func store16(v view, i int, x uint16) { binary.LittleEndian.PutUint16(v[i:], x) }

// copy16 reads 16 bytes before it writes them.
func copy16(v view, to, from int) {
	a, b := load64(v, from), load64(v, from+8)
	store64(v, to, a)
	store64(v, to+8, b)
}
