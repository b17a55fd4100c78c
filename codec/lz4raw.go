package codec

import "io"

// lz4BlockCodec is one raw LZ4 block (lz4_Block_format.md), by name only. It has
// no magic, no length, no checksum and no end mark: a block may end after literals
// whose token announces no match of more than 4 bytes, so a cut there passes, and so
// does a flipped bit in a literal.
func lz4BlockCodec() Codec {
	return Codec{
		Name:      "lz4-block",
		Requires:  func([]byte) (Needs, error) { return lz4RawNeeds, nil },
		NewReader: opener("lz4-block", newLZ4Raw),
	}
}

var lz4RawNeeds = Needs{Window: lz4History, Memory: 2 * lz4History, Size: -1}

// lz4Raw is one member, the whole source.
type lz4Raw struct {
	in    *Input
	seq   *lz4Sequences
	limit int64
}

func newLZ4Raw(o *Options) (format, error) { return &lz4Raw{limit: o.maxWindow()}, nil }

func (f *lz4Raw) begin(in *Input, first bool) error {
	if _, err := in.Peek(1); err != nil {
		return err
	}
	if f.limit < lz4History {
		return &LimitError{What: "window", Needed: lz4History, Allowed: f.limit}
	}
	f.in = in
	if f.seq == nil {
		f.seq = newLZ4Sequences()
	} else {
		*f.seq = lz4Sequences{buf: f.seq.buf}
	}
	return nil
}

func (f *lz4Raw) read(p []byte) (int, error) {
	for {
		if n := f.seq.drain(p); n > 0 {
			return n, nil
		}
		if f.seq.err != nil {
			return 0, f.seq.err
		}
		if f.in.Buffered() == 0 {
			if _, err := f.in.Peek(1); err == io.EOF && f.seq.phase != lz4Copy {
				if f.seq.ended() {
					return 0, io.EOF
				}
				return 0, io.ErrUnexpectedEOF
			} else if err != nil && err != io.EOF {
				return 0, err
			}
		}
		b, _ := f.in.Peek(f.in.Buffered())
		f.in.Discard(f.seq.feed(b))
	}
}

func (f *lz4Raw) close() { *f = lz4Raw{} }
