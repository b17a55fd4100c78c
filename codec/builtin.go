package codec

// builtin lists the codecs of [Default] in the order in which detection asks
// them.
func builtin() []Codec {
	return []Codec{
		noneCodec(),
		gzipCodec(),
		zstdCodec(),
		zlibCodec(),
		deflateCodec(),
	}
}
