package codectest

import (
	"bytes"
	"fmt"
	"testing"
)

// Format describes the format of a codec. Encode or Vectors is required; the zero value of
// every other field means that the format has no such property.
type Format struct {
	// Encode returns data as one member. It must be safe for concurrent use. Nil means that
	// only Vectors are tested.
	Encode func(data []byte) []byte

	// Vectors are objects to test besides those that Encode returns.
	Vectors []Vector

	// Doubtful are objects that end cleanly but may have been cut. [codec.Doubt] must return
	// a reason for each of them, and for no other object.
	Doubtful []Vector

	// Concatenates says that several members, one after the other, make up one object.
	Concatenates bool

	// Checksummed says that damage is always found: for an object with one bit flipped, a
	// Decoder fails or returns the same data.
	Checksummed bool

	// Endless says that the format has no end mark: an object that is cut anywhere is
	// a valid object, and nothing can follow one.
	Endless bool

	// MayEnd reports whether the first n bytes of stored are a valid object. Nil means that
	// they are only if n is where a member ends. An Endless format does not need it.
	MayEnd func(stored []byte, n int) bool

	// Junk is bytes that do not begin like a member. Nil means some text.
	Junk []byte

	// JunkIsDamage says that bytes after the last member cannot be distinguished from a
	// damaged member: any error is right for them.
	JunkIsDamage bool
}

// Vector is an object, of one member or several, and its data.
type Vector struct {
	Name    string // names it in messages
	Stored  []byte // the stored bytes
	Decoded []byte // the data that they decode to
}

// vectors are those of f and the ones that Encode makes of a few shapes of data.
func (f Format) vectors(t *testing.T) []Vector {
	t.Helper()
	vs := f.Vectors
	if f.Encode != nil {
		for _, s := range shapes() {
			vs = append(vs, Vector{Name: s.Name, Stored: f.Encode(s.Decoded), Decoded: s.Decoded})
		}
	}
	if len(vs) == 0 {
		t.Fatal("codectest: a Format needs Encode or Vectors")
	}
	return vs
}

// small are the vectors of which every bit can be tried.
func (f Format) small(t *testing.T) (vs []Vector) {
	for _, v := range f.vectors(t) {
		if len(v.Stored) <= 1<<10 && len(v.Decoded) <= 4<<10 {
			vs = append(vs, v)
		}
	}
	return vs
}

// shapes are data alone, of the sizes and kinds at which decoders turn off their
// straight way.
func shapes() []Vector {
	var lines bytes.Buffer
	for i := range 2000 {
		fmt.Fprintf(&lines, `{"id":%d,"word":%q}`+"\n", i, [...]string{"thaw", "ice", "water"}[i*i%3])
	}
	noise := make([]byte, 70_000)
	for i, x := 0, uint32(1); i < len(noise); i++ {
		x = x*1664525 + 1013904223
		noise[i] = byte(x >> 24)
	}
	return []Vector{
		{Name: "empty"},
		{Name: "byte", Decoded: []byte("x")},
		{Name: "line", Decoded: []byte("the ice on the lake, the lake under the ice\n")},
		{Name: "short lines", Decoded: lines.Bytes()[:1000]},
		{Name: "run", Decoded: make([]byte, 140_000)},
		{Name: "lines", Decoded: lines.Bytes()},
		{Name: "noise", Decoded: noise},
	}
}
