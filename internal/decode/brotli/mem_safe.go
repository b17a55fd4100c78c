//go:build !(amd64 || arm64) || purego

package brotli

import "encoding/binary"

// view is a byte slice; an index out of it panics.
type view []byte

func viewOf(b []byte) view { return b }

func load8(v view, i int) byte { return v[i] }

func load64(v view, i int) uint64 { return binary.LittleEndian.Uint64(v[i:]) }

func store8(v view, i int, x byte) { v[i] = x }

func store64(v view, i int, x uint64) { binary.LittleEndian.PutUint64(v[i:], x) }

// copy16 reads 16 bytes before it writes them.
func copy16(v view, to, from int) {
	a, b := load64(v, from), load64(v, from+8)
	store64(v, to, a)
	store64(v, to+8, b)
}

// tables are tables of codes one behind the other.
type tables []entry

func tablesOf(t []entry) tables { return t }

func loadEntry(t tables, i int) entry { return t[i] }
