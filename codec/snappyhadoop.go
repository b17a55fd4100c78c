package codec

import "encoding/binary"

// snappyHadoopCodec is Hadoop's SnappyCodec: Snappy blocks in the framing of
// hadoop.go. It has no magic; data is taken for it only if three lengths agree
// and the block reads as one as far as it can be seen.
func snappyHadoopCodec() Codec {
	return Codec{
		Name:      "snappy-hadoop",
		Member:    "block",
		Magic:     snappyHadoopMatch,
		MaxMemory: chunkMemory,
		NewReader: opener("snappy-hadoop", newSnappyHadoop),
		Scan:      newHadoopScanner,
		Split:     splitter("snappy-hadoop", newHadoopScanner, nil),
		restarts:  "block",
		Restart:   restarter("snappy-hadoop", newSnappyHadoop),
	}
}

func newSnappyHadoop(o *Options) (format, error) {
	return newHadoop(o, true, snappyChunk), nil
}

// hadoopMax is the longest block that detection takes data for.
const hadoopMax = 1 << 26

// snappyHadoopMatch wants one chunk that decodes to the block's length, as all
// writers produce for what fits their buffer, at least 64 bytes of it in sight,
// and every element of it valid.
func snappyHadoopMatch(head []byte, final bool) Match {
	switch {
	case len(head) > 0 && head[0] > hadoopMax>>24:
		return NoMatch // as text is
	case len(head) < 9:
		return NeedMore
	}
	decoded, stored := int64(binary.BigEndian.Uint32(head)), int64(binary.BigEndian.Uint32(head[4:]))
	block := head[8:]
	length, n, err := snappyHeader(block)
	switch {
	case err != nil || n == 0 || decoded == 0 || decoded > hadoopMax || length != decoded,
		stored > decoded+decoded/6+32 || decoded > snappyBound(int(stored)):
		return NoMatch
	}
	whole := int64(len(block)) >= stored
	if whole {
		block = block[:stored]
	}
	switch {
	case whole:
	case final:
		return NoMatch
	case len(block) < 64:
		return NeedMore
	}
	r := snappyElements(block[n:])
	if r.bad || r.decoded > length || whole && (r.torn || r.decoded != length) {
		return NoMatch
	}
	return Matched
}
