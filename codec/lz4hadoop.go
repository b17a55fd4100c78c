package codec

import "github.com/pierrec/lz4/v4"

// lz4HadoopCodec is Hadoop's Lz4Codec: raw LZ4 blocks in the framing of hadoop.go.
// It is found by name only: two plausible lengths are too little evidence.
func lz4HadoopCodec() Codec {
	return Codec{
		Name:      "lz4-hadoop",
		Member:    "block",
		MaxMemory: chunkMemory,
		NewReader: opener("lz4-hadoop", newLZ4Hadoop),
		restarts:  "block",
		Restart:   restarter("lz4-hadoop", newLZ4Hadoop),
	}
}

func newLZ4Hadoop(o *Options) (format, error) {
	return newHadoop(o, false, lz4Chunk), nil
}

// lz4Chunk decodes a raw block of at most max bytes.
func lz4Chunk(b *blocks, p, src []byte, max int64) (int, error) {
	n := int(min(max, lz4Bound(len(src))))
	if len(p) < n && cap(b.out) < n {
		var err error
		if n, err = lz4Fits(src, max); err != nil {
			return 0, err
		}
	}
	dst := p
	if len(p) < n {
		if err := b.room(n); err != nil {
			return 0, err
		}
		dst = b.out
	}
	inPlace := len(p) >= n
	n, err := lz4.UncompressBlock(src, dst[:n:n])
	switch {
	case err != nil:
		if _, err := lz4Fits(src, max); err != nil {
			return 0, err
		}
		return 0, errLZ4Block
	case inPlace:
		return n, nil
	}
	b.rest = dst[:n]
	return 0, nil
}

// lz4Fits is the decoded length of a block, or the error if it is over max.
func lz4Fits(src []byte, max int64) (int, error) {
	n, err := lz4DecodedLen(src, int(max))
	if err == nil && int64(n) > max {
		err = errBlockTooLong
	}
	return n, err
}
