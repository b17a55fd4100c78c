package codec

import (
	"encoding/binary"
	"io"
)

// zstdFrame is a source of one frame: a header of its own making, then the
// blocks of in as they are, up to the end of the last one.
type zstdFrame struct {
	in   *Input
	buf  [10]byte // the header, then block headers
	head []byte   // what is left of buf
	body int      // bytes of the current block to come
	last bool     // the current block is the last
	err  error    // of in; not io.EOF
}

// reset begins a frame whose header states window and dict alone. in stands
// behind the stored header.
func (f *zstdFrame) reset(in *Input, window int64, dict uint32) {
	*f = zstdFrame{in: in}
	b := append(f.buf[:0], zstdMagic...)
	if dict == 0 {
		b = append(b, 0, zstdDescriptor(window))
	} else {
		b = append(b, 3, zstdDescriptor(window))
		b = binary.LittleEndian.AppendUint32(b, dict)
	}
	f.head = b
}

func (f *zstdFrame) Read(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	switch {
	case len(f.head) > 0:
	case f.body > 0:
		n, err := f.in.Read(p[:min(len(p), f.body)])
		f.body -= n
		f.err = noEOF(err)
		return n, f.err
	case f.last:
		return 0, io.EOF
	default:
		b, err := take(f.in, 3)
		if err != nil {
			f.err = err
			return 0, err
		}
		f.head = f.buf[:copy(f.buf[:], b)]
		var typ int
		f.last, typ, f.body = zstdBlock(b)
		if typ == zstdRLE {
			f.body = 1
		}
	}
	n := copy(p, f.head)
	f.head = f.head[n:]
	return n, nil
}
