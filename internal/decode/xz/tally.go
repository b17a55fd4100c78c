package xz

import (
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"hash"

	"github.com/thaw-go/thaw/internal/decode/fault"
)

// tally sums up blocks, or the records of an index, so that the two can be
// compared in constant memory.
type tally struct {
	count   int64
	stored  int64 // bytes of the blocks with their padding
	decoded int64
	hash    hash.Hash // of all sizes in order
}

func (t *tally) reset() {
	if t.hash == nil {
		t.hash = sha256.New()
	}
	t.hash.Reset()
	t.count, t.stored, t.decoded = 0, 0, 0
}

// add counts a block. unpadded is its stored size without padding.
func (t *tally) add(unpadded, decoded int64) error {
	padded := (unpadded + 3) &^ 3
	if unpadded > maxInt-3 || padded > maxInt-t.stored || decoded > maxInt-t.decoded {
		return fault.Corruptf("xz stream is larger than the format allows")
	}
	t.count++
	t.stored += padded
	t.decoded += decoded
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], uint64(unpadded))
	binary.LittleEndian.PutUint64(b[8:], uint64(decoded))
	t.hash.Write(b[:])
	return nil
}

func (t *tally) equal(u *tally) bool {
	var a, b [sha256.Size]byte
	return t.count == u.count && t.stored == u.stored && t.decoded == u.decoded &&
		string(t.hash.Sum(a[:0])) == string(u.hash.Sum(b[:0]))
}

// append adds the state of t to b.
func (t *tally) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(t.count))
	b = binary.LittleEndian.AppendUint64(b, uint64(t.stored))
	b = binary.LittleEndian.AppendUint64(b, uint64(t.decoded))
	state, err := t.hash.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		panic("xz: SHA-256 without a state: " + err.Error())
	}
	return append(b, state...)
}

// restore takes what append returned.
func (t *tally) restore(b []byte) bool {
	t.reset()
	if len(b) < 24 {
		return false
	}
	t.count = int64(binary.LittleEndian.Uint64(b))
	t.stored = int64(binary.LittleEndian.Uint64(b[8:]))
	t.decoded = int64(binary.LittleEndian.Uint64(b[16:]))
	return t.hash.(encoding.BinaryUnmarshaler).UnmarshalBinary(b[24:]) == nil
}
