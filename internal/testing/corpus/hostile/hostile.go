// Package hostile makes objects that are meant to cost more than their bytes:
// thousands of tiny members, blocks, tables and headers, padding, and lengths that
// lie. Tests count what readers do with them, and internal/bench/hostile measures
// it.
//
// The makers are code, not recordings: each says what about its bytes is dear. They
// draw from no random source, so that the same size gives the same bytes.
package hostile

import (
	"bytes"
	"encoding/hex"
	"strings"
)

// Object is an object that costs more than its bytes.
type Object struct {
	Codec string // name of the codec that reads it
	Name  string // what is dear about it

	// Make makes about size stored bytes, and no fewer than the least that the
	// object can be.
	Make func(size int) []byte
}

// Objects lists one object of every kind, by codec.
func Objects() []Object {
	var all []Object
	for _, list := range [][]Object{
		deflated(), zstandard(), bzip2s(), lzmas(), lz4s(), snappies(), brotlis(),
	} {
		all = append(all, list...)
	}
	return all
}

// unhex is the bytes that s writes in hexadecimal, spaces left out.
func unhex(s string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		panic("hostile: " + err.Error())
	}
	return b
}

// repeated is a maker of as many parts as fit, one at least.
func repeated(part []byte) func(size int) []byte { return framed(nil, part, nil) }

// framed is a maker of head, as many parts as fit, and tail.
func framed(head, part, tail []byte) func(size int) []byte {
	return func(size int) []byte {
		n := max(1, (size-len(head)-len(tail))/len(part))
		return join(head, bytes.Repeat(part, n), tail)
	}
}

// numbered is a maker of head, parts that differ, and tail.
func numbered(head []byte, part func(i int) []byte, tail []byte) func(size int) []byte {
	return func(size int) []byte {
		b := bytes.Clone(head)
		for i := 0; i == 0 || len(b)+len(tail) < size; i++ {
			b = append(b, part(i)...)
		}
		return append(b, tail...)
	}
}

// padded is a maker of head and zeros, a multiple of four.
func padded(head []byte) func(size int) []byte {
	return func(size int) []byte {
		return append(bytes.Clone(head), make([]byte, max(0, size-len(head))&^3)...)
	}
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
