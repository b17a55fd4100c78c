package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/thaw-go/thaw/codec"
)

// magic begins every member. Text may begin with its letters, and does not go on
// with the byte after them.
const magic = "RUN\x01"

// runs is the codec of a format of runs of equal bytes. A member is
//
//	"RUN" | 1 | ( length 1 to 255 | byte ) … | 0 | CRC-32 of the data, little-endian
//
// and an object is one member or more.
func runs() codec.Codec {
	return codec.Codec{
		Name:       "runs",
		Extensions: []string{".runs"},
		Magic: func(head []byte, _ bool) codec.Match {
			switch n := min(len(head), len(magic)); {
			case string(head[:n]) != magic[:n]:
				return codec.NoMatch
			case n < len(magic):
				return codec.NeedMore
			}
			return codec.Matched
		},
		NewReader: func(src io.Reader, opts *codec.Options) (codec.Decoder, error) {
			return codec.NewDecoder("runs", src, opts, opener(opts))
		},

		// Members decode on their own, so that decoding can begin at each.
		Restart: func(src io.Reader, p codec.Point, opts *codec.Options) (codec.Decoder, error) {
			return codec.NewDecoderAt("runs", src, p, opts, opener(opts))
		},
		Scan: func() codec.Scanner { return new(scanner) },
	}
}

// opener returns the function that reads the magic of the next member. It leaves what is
// no member where it is.
func opener(opts *codec.Options) func(in *codec.Input, first bool) (io.Reader, error) {
	return func(in *codec.Input, _ bool) (io.Reader, error) {
		head, err := in.Peek(len(magic))
		switch {
		case err != nil && err != io.EOF:
			return nil, err
		case len(head) == 0:
			return nil, io.EOF
		case !bytes.HasPrefix([]byte(magic), head):
			return nil, codec.ErrTrailing
		case err != nil:
			return nil, io.ErrUnexpectedEOF
		}
		in.Discard(len(magic))
		return &member{in: in, verify: !opts.SkipChecksums}, nil
	}
}

// member reads the data of one member, and nothing after its end.
type member struct {
	in     *codec.Input
	verify bool
	left   int // of the current run
	b      byte
	crc    uint32
}

func (m *member) Read(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		if m.left == 0 {
			err = m.next()
			continue
		}
		k := min(m.left, len(p)-n)
		for i := range k {
			p[n+i] = m.b
		}
		m.left -= k
		n += k
	}
	m.crc = crc32.Update(m.crc, crc32.IEEETable, p[:n])
	if errors.Is(err, errMark) {
		err = m.check()
	}
	return n, err
}

// errMark says that the end mark was read.
var errMark = errors.New("end mark")

// next reads a run, or the end mark.
func (m *member) next() error {
	length, err := m.in.ReadByte()
	if err != nil {
		return inside(err)
	}
	if length == 0 {
		return errMark
	}
	m.left = int(length)
	m.b, err = m.in.ReadByte()
	return inside(err)
}

// check verifies the checksum. It returns io.EOF if it is right.
func (m *member) check() error {
	var sum [4]byte
	if _, err := io.ReadFull(m.in, sum[:]); err != nil {
		return inside(err)
	}
	if want := binary.LittleEndian.Uint32(sum[:]); m.verify && m.crc != want {
		return fmt.Errorf("%w: CRC-32 is %08x, the member says %08x", codec.ErrChecksum, m.crc, want)
	}
	return io.EOF
}

// inside returns err for a place where the source must not end.
func inside(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
