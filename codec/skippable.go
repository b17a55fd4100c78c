package codec

import (
	"encoding/binary"
	"io"
	"slices"

	"github.com/thaw-go/thaw/internal/limits"
)

// skippableMagic is the Magic of a frame that zstd and lz4 share, to be skipped by whoever
// does not know it: 50 to 5f, then 2a 4d 18, then the size of what follows
// (RFC 8878, section 3.1.2).
func skippableMagic(head []byte) Match {
	if len(head) > 0 && head[0]&0xf0 != 0x50 {
		return NoMatch
	}
	return prefix(head[min(1, len(head)):], "\x2a\x4d\x18")
}

// skippableHeader is the size of magic and length.
const skippableHeader = 8

// pastSkippable cuts the skippable frames off the beginning of head. NeedMore says
// that they go on after it, or may.
func pastSkippable(head []byte) (rest []byte, m Match) {
	for len(head) > 0 {
		switch skippableMagic(head) {
		case NoMatch:
			return head, Matched
		case NeedMore:
			return head, NeedMore
		}
		if len(head) < skippableHeader {
			return head, NeedMore
		}
		size := int64(binary.LittleEndian.Uint32(head[4:])) + skippableHeader
		if size > int64(len(head)) {
			return nil, NeedMore
		}
		head = head[size:]
	}
	return head, NeedMore
}

// skipFrame consumes a skippable frame.
func skipFrame(in *Input) error {
	b, err := readBytes(in, skippableHeader)
	if err != nil {
		return err
	}
	return skip(in, int64(binary.LittleEndian.Uint32(b[4:])))
}

// sharers are the formats that share these frames. The first is assumed of an object
// that shows nothing else.
func sharers() (names []string) {
	for _, c := range defaultRegistry.codecs {
		if c.skippable {
			names = append(names, c.Name)
		}
	}
	return names
}

// maxLooks is how often detection reads again to get past skippable frames.
const maxLooks = 16

// pastFrames finds the codec of the frame after the skippable frames that head
// begins with: zstd, lz4, or "" if it is of neither. Frames that head ends in are
// passed by reading from src. Where the frame after them cannot be seen, it is of
// zstd, or of lz4 if the first of candidates says so.
func (r *Registry) pastFrames(head []byte, final bool, src io.ReaderAt, candidates []candidate) (string, error) {
	names := sharers()
	if len(candidates) > 0 {
		if i := slices.IndexFunc(names, candidates[0].has); i > 0 {
			names[0], names[i] = names[i], names[0]
		}
	}
	at := int64(0) // where head stands
	for range maxLooks {
		n := skippableEnd(head)
		if n < int64(len(head)) && skippableMagic(head[n:]) == NoMatch {
			yes, more := r.byMagic(head[n:], false)
			for _, name := range names {
				if yes == name || slices.Contains(more, name) {
					return name, nil
				}
			}
			return "", nil
		}
		if final || src == nil {
			break
		}
		at += n
		next := make([]byte, limits.Head)
		k, err := src.ReadAt(next, at)
		if err != nil && err != io.EOF {
			return "", err
		}
		head, final = next[:k], err == io.EOF
	}
	return names[0], nil
}

// skippableEnd is the offset after the skippable frames that head begins with. It
// may be past head's end; a frame whose header is not all there does not count.
func skippableEnd(head []byte) int64 {
	at := int64(0)
	for at <= int64(len(head)-skippableHeader) && skippableMagic(head[at:]) == Matched {
		at += skippableHeader + int64(binary.LittleEndian.Uint32(head[at+4:]))
	}
	return at
}
