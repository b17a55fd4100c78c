package codec

import (
	"bytes"
	"fmt"
	"math"

	"github.com/pierrec/lz4/v4"
)

// lz4Bound is the most bytes that n stored bytes of a block can stand for: a
// length byte adds 255 to a match. It may be more than an int of 32 bits holds.
func lz4Bound(n int) int64 { return 255*int64(n) + 32 }

// lz4DecodedLen is the decoded length of a block, found by its lengths alone. The
// count ends at max + 1. A torn sequence is ErrCorrupt.
func lz4DecodedLen(src []byte, max int) (int, error) {
	total, i := int64(0), 0
	length := func(n int64) (int64, bool) {
		if n != 15 {
			return n, true
		}
		for i < len(src) {
			b := src[i]
			i++
			n += int64(b)
			if b != 255 {
				return n, true
			}
		}
		return 0, false
	}
	for i < len(src) {
		token := src[i]
		i++
		n, ok := length(int64(token >> 4))
		if !ok || n > int64(len(src)-i) {
			return 0, errLZ4Block
		}
		i += int(n)
		if total += n; i < len(src) {
			i += 2
			if n, ok = length(int64(token & 15)); !ok || i > len(src) {
				return 0, errLZ4Block
			}
			total += n + 4
		}
		if total > int64(max) {
			return min(max, math.MaxInt-1) + 1, nil
		}
	}
	return int(total), nil
}

var errLZ4Block = fmt.Errorf("%w: lz4 block", ErrCorrupt)

// lz4WindowSize is how large the buffer of linked blocks grows if blocks are
// small: history is moved to its front once in four blocks of 64 KiB.
const lz4WindowSize = 5 * lz4History

// lz4Window holds decoded blocks, with the history that linked blocks refer to in
// front of them.
//
//	buf: | given, of which the last 64 KiB are history | free |
//	     0                                            end
type lz4Window struct {
	buf   []byte
	end   int
	moved int64 // bytes of history that were moved to make room
}

// history is what the next linked block may refer to.
func (w *lz4Window) history() []byte { return w.buf[max(0, w.end-lz4History):w.end] }

// decode decodes one block of at most max bytes after the history and returns
// its data, which lives until the next call. Memory grows to what the block
// holds, not to max.
func (w *lz4Window) decode(src []byte, max int, linked bool) ([]byte, error) {
	if !linked {
		w.end = 0
	}
	n := int(min(int64(max), lz4Bound(len(src))))
	if len(w.buf)-w.end < n {
		var err error
		if n, err = lz4DecodedLen(src, max); err != nil || n > max {
			return nil, errLZ4Block
		}
		w.room(n)
	}
	n, err := lz4.UncompressBlockWithDict(src, w.buf[w.end:w.end+n], w.history())
	if err != nil {
		return nil, errLZ4Block
	}
	data := w.buf[w.end : w.end+n]
	w.end += n
	return data, nil
}

// store appends data of a block that is not compressed.
func (w *lz4Window) store(data []byte) []byte {
	w.room(len(data))
	n := copy(w.buf[w.end:], data)
	w.end += n
	return w.buf[w.end-n : w.end]
}

// room makes the free part at least n long, which is what a block decodes to. The
// history moves only where as much was decoded since it moved last, or is about to
// be: elsewhere the buffer grows, so that small blocks cost no more than their size.
func (w *lz4Window) room(n int) {
	if len(w.buf)-w.end >= n {
		return
	}
	if w.end >= 2*lz4History || w.end+n > lz4WindowSize {
		w.slide()
	}
	if len(w.buf)-w.end < n {
		w.grow(max(w.end+n, min(2*len(w.buf), lz4WindowSize)))
	}
}

// slide moves the history to the front.
func (w *lz4Window) slide() {
	if w.end > lz4History {
		w.end = copy(w.buf, w.history())
		w.moved += lz4History
	}
}

// grow makes the buffer size bytes long. The old one is not held beside it, but for
// the history.
func (w *lz4Window) grow(size int) {
	w.moved += int64(w.end)
	kept := bytes.Clone(w.buf[:w.end])
	w.buf = nil
	w.buf = make([]byte, size)
	copy(w.buf, kept)
}
