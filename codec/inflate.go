package codec

// inflater decodes one deflate stream after the other (RFC 1951) and never reads
// past the last byte of one. The zero value is ready for reset or resume.
type inflater struct {
	in     *Input
	engine inflateEngine
	size   int64 // bytes of the stream returned, those before a restart included
	before int64 // bytes of the stream before the restart
	mark   inflateMark
}

// inflateWindow is the history of deflate, inflateMemory what an inflater
// allocates: slab, tables, the window of a restart point and its copy, and the
// Input's buffer.
const (
	inflateWindow = 32 << 10
	inflateMemory = 384 << 10
)

// inflateNeeds is the Requires of the formats over deflate.
func inflateNeeds([]byte) (Needs, error) {
	return Needs{Window: inflateWindow, Memory: inflateMemory, Size: -1}, nil
}

func (z *inflater) reset(in *Input) {
	z.in, z.size, z.before = in, 0, 0
	z.mark.drop()
	z.engine.reset(in)
	z.engine.stopAt(inflateSpacing)
}

// read returns io.EOF after the final block. A call of keep follows when the
// checksum includes the bytes returned.
func (z *inflater) read(p []byte) (int, error) {
	n, err := z.engine.read(p)
	z.size += int64(n)
	return n, err
}
