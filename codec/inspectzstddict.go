package codec

import "encoding/binary"

// zstdDict is the dictionary that an object holds in its first frame.
type zstdDict struct {
	memory int64 // that it takes, as far as headers tell
	whole  bool  // it is too large for the state of a unit: there is but one
}

// zstdDict notes the dictionary that the first frame holds, without reading it.
func (i *inspection) zstdDict() (d zstdDict) {
	var b [skippableHeader + zstdMaxHeader]byte
	head := b[:min(int64(len(b)), i.size)]
	if readFullAt(&i.headers, head, 0) != nil || !holdsZstdDict(head) {
		return d
	}
	n := int64(binary.LittleEndian.Uint32(b[4:]))
	if n > i.size-skippableHeader {
		return d
	}
	d.whole = n > maxState
	d.memory = n
	how := "as it is"
	if content := head[skippableHeader:]; string(content[:4]) == zstdMagic {
		how = "compressed"
		if h, err := parseZstdHeader(content); err == nil {
			d.memory = max(n, min(h.content, DefaultMaxWindow/zstdDictShare))
		}
	}
	i.note("the first frame holds a dictionary, %s, in %d bytes", how, n)
	return d
}
