package codec

import (
	"bytes"
	"io"
	"iter"
)

// bzip2Split lists streams. The format says nowhere how long one is, so the whole
// object is searched for the ten bytes that begin one, which is far cheaper than
// to decode it. They could in theory, once in 2^80, stand inside a stream; then
// neither part decodes.
func bzip2Split(r io.ReaderAt, size int64) iter.Seq2[Unit, error] {
	return func(yield func(Unit, error) bool) {
		const step = 256 << 10
		buf := make([]byte, step+bzip2HeadSize-1)
		unit := Unit{Decoded: -1}
		for at := int64(0); at < size; at += step {
			b := buf[:min(int64(len(buf)), size-at)]
			if n, err := r.ReadAt(b, at); n < len(b) {
				yield(Unit{}, &Error{Codec: "bzip2", StoredOffset: at, Err: noEOF(err)})
				return
			}
			for from := 0; ; from++ {
				i := bytes.Index(b[from:], []byte(bzip2Start))
				if i < 0 || from+i >= step {
					break
				}
				from += i
				if bzip2Head(b[from:]) != Matched {
					continue
				}
				if start := at + int64(from); start > 0 {
					unit.Size = start - unit.Offset
					if !yield(unit, nil) {
						return
					}
					unit.Offset = start
				}
			}
		}
		if unit.Size = size - unit.Offset; unit.Size > 0 {
			yield(unit, nil)
		}
	}
}
