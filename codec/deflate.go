package codec

// deflateCodec is RFC 1951 alone: one stream without magic, size or checksum, so that only a
// hint chooses it. A flipped bit may decode to other bytes.
func deflateCodec() Codec {
	return Codec{
		Name:       deflateName,
		Member:     "stream",
		Extensions: []string{".deflate"},
		Requires:   inflateNeeds,
		NewReader:  opener(deflateName, newDeflate),
		Restart:    restarter(deflateName, newDeflate),
	}
}

const deflateName = "deflate"

type deflateFormat struct{ z inflater }

func newDeflate(*Options) (format, error) { return new(deflateFormat), nil }

func (f *deflateFormat) begin(in *Input, first bool) error {
	if _, err := in.Peek(1); err != nil {
		return err
	}
	if !first {
		return errNoMember
	}
	f.z.reset(in)
	return nil
}

func (f *deflateFormat) read(p []byte) (int, error) {
	n, err := f.z.read(p)
	if err == nil {
		f.z.keep(0, false)
	}
	return n, err
}

// deflateState marks the restart states of deflate.
const deflateState = 'd'

// point implements pointer.
func (f *deflateFormat) point() (Point, bool) { return f.z.point(deflateState) }

// resume implements resumer.
func (f *deflateFormat) resume(in *Input, state []byte) error {
	_, _, err := f.z.resume(in, deflateState, state)
	return err
}

func (f *deflateFormat) close() { *f = deflateFormat{} }
