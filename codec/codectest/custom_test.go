package codectest_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/codec/codectest"
)

// xor is a format without header and end mark: every byte is flipped.
func xor() codec.Codec {
	return codec.Codec{
		Name:       "xor",
		Extensions: []string{".xor"},
		NewReader: func(src io.Reader, opts *codec.Options) (codec.Decoder, error) {
			return codec.NewDecoder("xor", src, opts, func(in *codec.Input, first bool) (io.Reader, error) {
				if !first {
					return nil, io.EOF
				}
				return flipped{in}, nil
			})
		},
	}
}

type flipped struct{ src io.Reader }

func (f flipped) Read(p []byte) (int, error) {
	n, err := f.src.Read(p)
	copy(p, flip(p[:n]))
	return n, err
}

func flip(data []byte) []byte {
	out := bytes.Clone(data)
	for i := range out {
		out[i] ^= 0xff
	}
	return out
}

// netstring is a format with an end mark and members one behind the other: a
// length, a colon, as many bytes and a comma.
func netstring() codec.Codec {
	return codec.Codec{
		Name: "netstring",
		NewReader: func(src io.Reader, opts *codec.Options) (codec.Decoder, error) {
			return codec.NewDecoder("netstring", src, opts, openNetstring)
		},
	}
}

func openNetstring(in *codec.Input, _ bool) (io.Reader, error) {
	b, err := in.Peek(1)
	if err != nil {
		return nil, err
	}
	if b[0] < '0' || b[0] > '9' {
		return nil, codec.ErrTrailing
	}
	for n := int64(0); ; {
		c, err := in.ReadByte()
		switch {
		case err == io.EOF:
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		case c == ':':
			return &netstringReader{in: in, left: n}, nil
		case c < '0' || c > '9' || n > 1<<40:
			return nil, codec.ErrCorrupt
		}
		n = 10*n + int64(c-'0')
	}
}

type netstringReader struct {
	in   *codec.Input
	left int64
}

func (r *netstringReader) Read(p []byte) (int, error) {
	if r.left == 0 {
		c, err := r.in.ReadByte()
		switch {
		case err == nil && c == ',':
			return 0, io.EOF
		case err == nil:
			return 0, codec.ErrCorrupt
		case err == io.EOF:
			return 0, io.ErrUnexpectedEOF
		}
		return 0, err
	}
	n, err := r.in.Read(p[:min(int64(len(p)), r.left)])
	r.left -= int64(n)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func TestXor(t *testing.T) {
	t.Parallel()
	codectest.Run(t, xor(), codectest.Format{Encode: flip, Endless: true})
}

func TestNetstring(t *testing.T) {
	t.Parallel()
	codectest.Run(t, netstring(), codectest.Format{Encode: encodeNetstring, Concatenates: true})
}

func encodeNetstring(data []byte) []byte { return fmt.Appendf(nil, "%d:%s,", len(data), data) }
