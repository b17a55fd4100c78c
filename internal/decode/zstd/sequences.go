package zstd

import "github.com/thaw-go/thaw/internal/decode/fault"

// sequence is literals to copy and a match that follows them. An offset of 1 to 3
// stands for a repeated one, and others are too large by newOffset.
type sequence struct {
	literals, match uint32
	offset          uint64
}

// sequences decodes the section b, up to the end of its block, and executes it to
// the output. All literals are used.
func (d *decoder) sequences(b []byte) error {
	n, used, err := sequenceCount(b)
	if err != nil {
		return err
	}
	b = b[used:]
	if n == 0 {
		if len(b) > 0 {
			return fault.Corruptf("bytes after a section of no sequences")
		}
		return d.out.append(d.lit, d.blockMax)
	}
	if used, err = d.tables.parse(b, &d.counts); err != nil {
		return err
	}
	s := &d.bits
	if err := s.start(b[used:], &d.tables); err != nil {
		return err
	}
	x := &d.execution
	x.start(&d.out, d.lit, d.blockMax)
	for n--; n > 0; {
		if s.p < lead {
			if s.low > 0 {
				return errSequences // bits before the first were used
			}
			s.toTail()
		}
		done, err := d.decodeBatch(n)
		if err != nil {
			return err
		}
		n -= done
	}
	last := s.final(&d.tables)
	if err := d.executeOne(last, x.offset(last)); err != nil {
		return err
	}
	if s.left() != 0 {
		return errSequences
	}
	return d.out.append(d.lit[x.at:], x.end-d.out.w)
}

var (
	errSequences = fault.Corruptf("bits of the sequences left over or missing")
	errHeader    = fault.Corruptf("sequences section cut short")
	errBlockSize = fault.Corruptf("block of more bytes than allowed")
)

// sequenceCount reads how many sequences there are, and returns the size of that.
func sequenceCount(b []byte) (n, used int, err error) {
	switch {
	case len(b) == 0:
	case b[0] < 128:
		return int(b[0]), 1, nil
	case b[0] < 255 && len(b) >= 2:
		return int(b[0]-128)<<8 + int(b[1]), 2, nil
	case b[0] == 255 && len(b) >= 3:
		return int(b[1]) + int(b[2])<<8 + 0x7f00, 3, nil
	}
	return 0, 0, errHeader
}
