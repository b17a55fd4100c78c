package codec

// builtin lists the codecs of [Default] in the order in which detection asks
// them.
func builtin() []Codec {
	return []Codec{
		noneCodec(),
		gzipCodec(),
		zstdCodec(),
		xzCodec(),
		lzipCodec(),
		bzip2Codec(),
		zlibCodec(),
		deflateCodec(),
		lz4Codec(),
		lz4JavaCodec(),
		snappyCodec(),
		s2Codec(),
		snappyXerialCodec(),
		snappyHadoopCodec(),
		lz4HadoopCodec(),
		lz4BlockCodec(),
		snappyBlockCodec(),
		lzmaCodec(),
		brotliCodec(),
	}
}
