package codec

import "fmt"

// blocks is what formats of small independent blocks share: a block is stored in
// one piece, and decoded into the caller's buffer if it fits there, else into out.
type blocks struct {
	opts   *Options
	stored runReader
	out    []byte // reused
	rest   []byte // decoded, not returned yet
}

// newBlocks are blocks whose buffers o grants as they grow.
func newBlocks(o *Options) *blocks {
	b := &blocks{opts: o}
	b.stored.hold = func(n int) error { return o.hold(int64(n + cap(b.out))) }
	return b
}

// room makes out hold n bytes.
func (b *blocks) room(n int) error {
	if n > cap(b.out) {
		if err := b.opts.hold(int64(cap(b.stored.buf) + n)); err != nil {
			return err
		}
		b.out = nil // it is not to be held beside the larger one
		b.out = make([]byte, n)
	}
	b.out = b.out[:cap(b.out)]
	return nil
}

// drain copies what is left of the last block to p.
func (b *blocks) drain(p []byte) int {
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n
}

// unpack runs decode on a buffer of n bytes: p if they fit there, else out, which
// becomes rest. It returns how many bytes p holds.
func (b *blocks) unpack(p []byte, n int, decode func(dst []byte) error) (int, error) {
	if n <= len(p) {
		if err := decode(p[:n:n]); err != nil {
			return 0, err
		}
		return n, nil
	}
	if err := b.room(n); err != nil {
		return 0, err
	}
	if err := decode(b.out[:n:n]); err != nil {
		return 0, err
	}
	b.rest = b.out[:n]
	return 0, nil
}

// errBlockTooLong is the error for a block that decodes to more than its place
// allows.
var errBlockTooLong = fmt.Errorf("%w: block decodes to more than it may", ErrCorrupt)

// chunkMemory is what blocks hold at most for ones that decode to up to max bytes:
// what an encoder stores of as many, which is the most that is taken, and the bytes
// themselves.
func chunkMemory(max int64) int64 { return runMemory(snappyEncoded(max)) + max }

// chunkLimit is the error for a block that takes more stored bytes than an encoder
// writes for limit bytes, the most that it may decode to; nil for fewer.
func chunkLimit(size, limit int64) error {
	if size <= snappyEncoded(limit) {
		return nil
	}
	return &LimitError{What: "chunk", Needed: size, Allowed: snappyEncoded(limit)}
}

// noteChunk passes on what a block needs of MaxWindow, and what is held for it where
// it does not fit the caller's buffer.
func (b *blocks) noteChunk(decoded, stored int64) {
	b.opts.note(max(decoded, stored), runMemory(stored)+decoded)
}

// blockBytes is no less than the stored bytes that n decoded ones can take in a
// block of LZ4 or Snappy, written in the most wasteful way: five for each.
func blockBytes(n int64) int64 { return 5*n + 16 }
