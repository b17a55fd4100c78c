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
		Extensions: []string{".zlib", ".zz"},
		Encodings:  []string{"deflate"}, // RFC 9110, section 8.4.1.2
		Requires:   inflateNeeds,
		NewReader:  opener("zlib", newZlib),
		Restart:    restarter("zlib", newZlib),
	}
}

// zlibHeader tells whether head begins with a header of zlib, which holds method,
// window size and a check of both. It wants two bytes.
func zlibHeader(head []byte) bool {
	return len(head) >= 2 && head[0]&0x0f == 8 && head[0]>>4 <= 7 &&
		binary.BigEndian.Uint16(head)%31 == 0
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
	b, err := in.Peek(1)
	switch {
	case err != nil:
		return err
	case !first:
		return errNoMember
	case b[0]&0x0f != 8 || b[0]>>4 > 7:
		return errNoMember
	}
	if b, err = in.Peek(2); err != nil {
		in.Discard(len(b))
		return noEOF(err)
	}
	if !zlibHeader(b) {
		return errNoMember
	}
	preset := b[1]&0x20 != 0
	in.Discard(2)
	if preset {
		id, err := take(in, 4)
		if err != nil {
			return err
		}
		return fmt.Errorf("%w: zlib preset dictionary %08x", ErrDictionary, binary.BigEndian.Uint32(id))
	}
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
	b, err := take(f.in, 4)
	if err != nil {
		return n, err
	}
	if want := binary.BigEndian.Uint32(b); f.summed() && want != f.sum.Sum32() {
		return n, fmt.Errorf("%w: Adler-32 is %08x, the trailer says %08x", ErrChecksum, f.sum.Sum32(), want)
	}
	return n, io.EOF
}

// summed tells whether the checksum is kept up.
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
