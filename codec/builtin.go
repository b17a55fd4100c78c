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
		zlibCodec(),
		deflateCodec(),
		lz4Codec(),
		lz4JavaCodec(),
		lz4HadoopCodec(),
		lz4BlockCodec(),
		lzmaCodec(),
	}
}
