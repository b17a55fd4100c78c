package xz

import "io"

// filterBuffer is how much a filter holds.
const filterBuffer = 16 << 10

// filter undoes what an encoder did in front of LZMA2. Data passes in place:
//
//	     rd         ready          end
//	------|-----------|-------------|--------
//	given   converted   to convert    free
type filter struct {
	src  io.Reader
	undo converter
	buf  []byte // kept from block to block

	rd, ready, end int
	err            error // of src
}

// converter undoes a filter on data that goes on where the last call ended.
type converter interface {
	// convert changes b and returns how many bytes are done. The others, fewer
	// than 32, come again at the front of the next b; at the end of the
	// data they stay as they are.
	convert(b []byte) int
}

// reset begins a block.
func (f *filter) reset(src io.Reader, s filterSpec) {
	f.src, f.err = src, nil
	f.rd, f.ready, f.end = 0, 0, 0
	if f.buf == nil {
		f.buf = make([]byte, filterBuffer)
	}
	if s.id == filterDelta {
		f.undo = &delta{distance: s.delta}
		return
	}
	_, make := branch(s.id)
	f.undo = make(s.offset)
}

func (f *filter) Read(p []byte) (int, error) {
	for f.rd == f.ready {
		if f.err != nil {
			return 0, f.err
		}
		copy(f.buf, f.buf[f.ready:f.end])
		f.end -= f.ready
		f.rd, f.ready = 0, 0
		var n int
		n, f.err = f.src.Read(f.buf[f.end:])
		f.end += n
		f.ready = f.undo.convert(f.buf[:f.end])
		if f.err == io.EOF {
			f.ready = f.end
		}
	}
	n := copy(p, f.buf[f.rd:f.ready])
	f.rd += n
	return n, nil
}
