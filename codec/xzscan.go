package codec

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/thaw-go/thaw/internal/decode/fault"
	"github.com/thaw-go/thaw/internal/decode/xz"
)

// xzTail lists streams and blocks by the indexes, found from the end, and reads the
// headers of blocks. Units are the blocks of streams with several, and other streams.
//
// Without heads, those of blocks are not read.
func xzTail(h *headers, heads bool) iter.Seq2[*Step, error] {
	return func(yield func(*Step, error) bool) {
		// The indexes and the blocks lie apart, and each is read in order.
		l := xzLister{r: h.apart(), heads: heads, yield: yield}
		for u, err := range xz.Units(h, h.size) {
			if _, wrong := errors.AsType[*fault.Error](err); wrong || err == io.ErrUnexpectedEOF {
				err = errNoHint // what is wrong is met from the front
			} else if err == nil {
				err = l.unit(u)
			}
			if err != nil {
				if err != errStopped {
					yield(&Step{}, err)
				}
				return
			}
		}
		if l.inside {
			yield(&Step{Role: StepEnd, Part: Part{Offset: h.size}}, nil)
		}
	}
}

// xzLister makes steps of units.
type xzLister struct {
	r      io.ReaderAt
	yield  func(*Step, error) bool
	heads  bool
	inside bool // a stream began
	check  string
}

func (l *xzLister) unit(u xz.Unit) error {
	at := u.Offset
	if u.First {
		var b [xz.HeaderSize]byte
		if l.heads {
			if err := readFullAt(l.r, b[:], at); err != nil {
				return err
			}
		}
		if l.inside && !l.yield(&Step{Role: StepEnd, Part: Part{Offset: at}}, nil) {
			return errStopped
		}
		l.inside, l.check = true, xzCheck(xz.Check(b[7]))
		st := Step{Role: StepBegin, Unit: true, State: u.State, Part: Part{
			Kind: "stream", Offset: at, Size: xz.HeaderSize, Decoded: -1, Checksum: l.check,
		}}
		if !l.yield(&st, nil) {
			return errStopped
		}
		at += xz.HeaderSize
	}
	st := Step{Role: StepBlock, Part: Part{
		Offset: at, Size: u.Offset + u.Size - at, Decoded: u.Decoded, Checksum: l.check,
	}}
	if !u.First {
		st.Unit, st.State = true, u.State
	}
	if l.heads {
		if err := l.block(&st); err != nil {
			return err
		}
	}
	if !l.yield(&st, nil) {
		return errStopped
	}
	return nil
}

// block reads the header of a block.
func (l *xzLister) block(st *Step) error {
	var b [1024]byte
	if err := readFullAt(l.r, b[:1], st.Offset); err != nil {
		return err
	}
	if b[0] == 0 {
		return nil // the index: the stream has no block
	}
	head := b[:xz.BlockHeaderSize(b[0])]
	if err := readFullAt(l.r, head, st.Offset); err != nil {
		return err
	}
	h, err := xz.ParseBlockHeader(head)
	if err != nil {
		return cause(err)
	}
	describeXZ(st, &h)
	return nil
}

// describeXZ adds to the step of a block what its header says.
func describeXZ(st *Step, h *xz.Header) {
	st.Kind, st.Window, st.Claimed = "block", h.Window(), h.Dict
	st.Memory = lzmaNeeds(st.Window, xzProps, -1).Memory
}

// xzCheck names the check of a stream.
func xzCheck(c xz.Check) string {
	switch c {
	case xz.None:
		return "none"
	case xz.CRC32:
		return "crc32"
	case xz.CRC64:
		return "crc64"
	case xz.SHA256:
		return "sha256"
	}
	return fmt.Sprintf("check %d", c)
}

// xzScanner lists streams along the chunks of their blocks. A unit is a stream.
type xzScanner struct{ s xz.Scanner }

func newXZScanner() Scanner { return new(xzScanner) }

func (x *xzScanner) Scan(b []byte, left int64) (Step, error) {
	it, err := x.s.Next(b, left)
	switch {
	case err == xz.ErrForeign:
		return Step{}, ErrTrailing
	case err != nil:
		return Step{}, cause(err)
	}
	st := Step{Role: StepBlock, Part: Part{Size: it.Size, Decoded: it.Decoded}}
	switch it.What {
	case xz.Begins:
		st.Role, st.Unit = StepBegin, true
		st.Kind, st.Decoded, st.Checksum, st.Blocks = "stream", -1, xzCheck(it.Check), -1
	case xz.Block:
		describeXZ(&st, it.Header)
		st.Kind = ""
	case xz.Ends:
		st.Role = StepEnd
	case xz.Padding:
		st.Role = StepSkip
	}
	return st, nil
}
