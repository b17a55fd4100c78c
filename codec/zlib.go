package codec

import (
	"encoding"
	"encoding/binary"
	"fmt"
	"hash"
	"hash/adler32"
	"io"
)

// zlibCodec is RFC 1950: one stream. Its two header bytes are too weak a sign to
// detect it by: every thousandth file begins like one.
func zlibCodec() Codec {
	return Codec{
		Name:       "zlib",
		Member:     "stream",
		Extensions: []string{".zlib", ".zz"},
		Encodings:  []string{"deflate"}, // RFC 9110, section 8.4.1.2
		twin:       deflateName,         // is sent under that token too
		sign:       zlibHeader,
		Requires:   inflateNeeds,
		NewReader:  opener("zlib", newZlib),
		Scan:       func() Scanner { return new(zlibScanner) },
		Restart:    restarter("zlib", newZlib),
	}
}

// zlibHeader reports whether head begins with a header of zlib, which holds method,
// window size and a check of both. It wants two bytes.
func zlibHeader(head []byte) bool {
	return len(head) >= 2 && head[0]&0x0f == 8 && head[0]>>4 <= 7 &&
		binary.BigEndian.Uint16(head)%31 == 0
}

// zlibHead reads the header. It is a grammar.
type zlibHead struct {
	window int64 // that it states
	preset bool
	dict   uint32
}

func (h *zlibHead) look(b []byte, left int64) error {
	switch {
	case len(b) == 0:
		return atEnd(left)
	case b[0]&0x0f != 8 || b[0]>>4 > 7:
		return errNoMember
	case len(b) < 2:
		return short(b, left)
	case !zlibHeader(b):
		return errNoMember
	}
	h.window = 256 << (b[0] >> 4)
	if h.preset = b[1]&0x20 != 0; !h.preset {
		return nil
	}
	if len(b) < 6 {
		return short(b, left)
	}
	h.dict = binary.BigEndian.Uint32(b[2:])
	return fmt.Errorf("%w: zlib preset dictionary %08x", ErrDictionary, h.dict)
}

// zlibScanner reads the header: no header says where the stream ends.
type zlibScanner struct{}

func (*zlibScanner) Scan(b []byte, left int64) (Step, error) {
	var h zlibHead
	err := h.look(b, left)
	if err == errNoMember {
		err = ErrTrailing
	}
	st := Step{Role: StepRest, Part: Part{Size: -1, Window: inflateWindow, Checksum: "adler32", Blocks: -1}, Memory: inflateMemory}
	if st.Dictionary = h.dict; err == nil || h.preset {
		st.Notes = []string{fmt.Sprintf("a window of %d bytes is stated", h.window)}
	}
	return st, err
}

type zlibFormat struct {
	in         *Input
	z          inflater
	unverified bool
	unsummed   bool // the checksum was not kept up before a restart
	sum        hash.Hash32
}

func newZlib(o *Options) (format, error) {
	return &zlibFormat{unverified: o.SkipChecksums, sum: adler32.New()}, nil
}

func (f *zlibFormat) begin(in *Input, first bool) error {
	if _, err := in.Peek(1); err != nil {
		return err
	}
	if !first {
		return errNoMember
	}
	var h zlibHead
	if err := lookNext(in, &h); err != nil {
		return err
	}
	in.Discard(2)
	f.in, f.unsummed = in, false
	f.sum.Reset()
	f.z.reset(in)
	return nil
}

func (f *zlibFormat) read(p []byte) (int, error) {
	n, err := f.z.read(p)
	if f.summed() {
		f.sum.Write(p[:n])
	}
	if err != io.EOF {
		f.z.keep(f.sum.Sum32(), f.summed())
		return n, err
	}
	b, err := readBytes(f.in, 4)
	if err != nil {
		return n, err
	}
	if want := binary.BigEndian.Uint32(b); f.summed() && want != f.sum.Sum32() {
		return n, fmt.Errorf("%w: Adler-32 is %08x, the trailer says %08x", ErrChecksum, f.sum.Sum32(), want)
	}
	return n, io.EOF
}

// summed reports whether sum covers all data of the stream.
func (f *zlibFormat) summed() bool { return !f.unverified && !f.unsummed }

// zlibState marks the restart states of zlib.
const zlibState = 'z'

// point implements pointer.
func (f *zlibFormat) point() (Point, bool) { return f.z.point(zlibState) }

// resume implements resumer.
func (f *zlibFormat) resume(in *Input, state []byte) error {
	sum, summed, err := f.z.resume(in, zlibState, state)
	if err != nil {
		return err
	}
	f.in, f.unsummed = in, !summed
	// The state of package adler32 is a magic and the sum.
	saved := binary.BigEndian.AppendUint32([]byte("adl\x01"), sum)
	return f.sum.(encoding.BinaryUnmarshaler).UnmarshalBinary(saved)
}

func (f *zlibFormat) close() { *f = zlibFormat{} }
