package codec

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
)

// walk runs a Scanner over an object.
type walk struct {
	h    *headers
	s    Scanner
	name string

	shower shower // s, if it is one
	off    int64  // of the next step
	buf    []byte
	idle   int  // how many steps in a row had no bytes
	ended  bool // a member ended, or a part of one that decodes on its own
	st     Step // the one returned last
}

const (
	scanFirst = 32
	scanMost  = 256 << 10 // the longest that a Scan may be shown
	scanIdle  = 4         // steps without bytes that may follow one another
)

// shower is a Scanner that knows how many bytes it wants to see first.
type shower interface{ shows() int64 }

func newWalk(name string, s Scanner, h *headers) *walk {
	shower, _ := s.(shower)
	return &walk{h: h, s: s, shower: shower, name: name}
}

// next returns the next step, with its Offset and its Size, which holds until the next
// call. At the end of the object
// it returns io.EOF. Errors are bare causes, those of the step at off.
func (w *walk) next() (*Step, error) {
	st := &w.st
	left := w.h.size - w.off
	first := int64(scanFirst)
	if w.shower != nil {
		first = w.shower.shows()
	}
	for n := min(first, left); ; n = min(4*n, left) {
		w.buf = grow(w.buf, int(n))[:n]
		if n > 0 {
			if err := readFullAt(w.h, w.buf, w.off); err != nil {
				*st = Step{}
				return st, err
			}
		}
		var err error
		*st, err = w.s.Scan(w.buf, left)
		switch {
		case err == nil && 0 < st.Size && st.Size <= left: // nothing to correct
		case err == io.ErrShortBuffer && n < left && n < scanMost:
			n = max(n, scanFirst/4)
			continue
		case err == io.ErrShortBuffer && n < left:
			err = fmt.Errorf("%w: header of more than %d bytes", ErrUnsupported, n)
		case err == io.ErrShortBuffer, err == io.EOF && left > 0:
			err = io.ErrUnexpectedEOF
		case errors.Is(err, ErrTrailing) && !w.ended:
			err = fmt.Errorf("%w: not %s data", ErrCorrupt, w.name)
		case err == nil && st.Size < 0:
			st.Size = left
		case err == nil && st.Size > left:
			err = io.ErrUnexpectedEOF
		case err == nil && st.Size == 0 && w.idle == scanIdle:
			err = fmt.Errorf("%w: the scanner of %s does not go on", ErrUnsupported, w.name)
		}
		if err != nil {
			*st = Step{Variants: st.Variants}
			return st, err
		}
		st.Offset = w.off
		w.off += st.Size
		if w.idle++; st.Size > 0 {
			w.idle = 0
		}
		w.ended = w.ended || st.Role == StepEnd || st.Role == StepBlock || st.Role == StepRest
		return st, nil
	}
}

// steps lists what is left.
func (w *walk) steps() iter.Seq2[*Step, error] {
	return func(yield func(*Step, error) bool) {
		for {
			st, err := w.next()
			if err == io.EOF || !yield(st, err) || err != nil {
				return
			}
		}
	}
}

// errNoHint ends the steps of an index that is not to be used. Those before it are
// forgotten, and the object is walked along.
var errNoHint = errors.New("the index is not used")

// sums adds up what steps decode to, and finds where units begin.
type sums struct {
	unit     Unit  // the current one, without a Size
	tiled    bool  // it began with a step
	whole    bool  // it may end at end: no member is open
	end      int64 // of the last member
	total    int64 // of the object
	declared bool  // the member stated its size
}

// add takes a step. It returns the unit that ends before it, if one does.
func (s *sums) add(st *Step) (u Unit, ends bool) {
	if st.Unit {
		if ends = s.tiled; ends {
			u = s.unit
			u.Size = st.Offset - u.Offset
			s.unit = Unit{Offset: st.Offset}
		}
		s.unit.State, s.tiled = st.State, true
	}
	n := st.Decoded
	s.whole = st.Role == StepEnd || s.whole && st.Role != StepBegin && st.Role != StepRest
	if st.Role == StepEnd {
		s.end = st.Offset + st.Size
	}
	switch st.Role {
	case StepBegin:
		if s.declared = n >= 0; !s.declared {
			n = 0
		}
	case StepBlock, StepEnd:
		if s.declared {
			n = 0
		}
		s.declared = s.declared && st.Role == StepBlock
	case StepSkip:
		n = 0
	case StepRest:
		n = -1
	}
	s.unit.Decoded = plus(s.unit.Decoded, n)
	s.total = plus(s.total, n)
	return u, ends
}

// beforeFault is the unit that ends before what is wrong, if one does.
func (s *sums) beforeFault() (u Unit, ends bool) {
	u = s.unit
	u.Size = s.end - u.Offset
	return u, s.tiled && s.whole
}

// plus adds two sizes of which -1 is one that is not known.
func plus(a, b int64) int64 {
	if a < 0 || b < 0 || a > math.MaxInt64-b {
		return -1
	}
	return a + b
}

// tail lists the steps of an object by an index at its end, or ends with errNoHint.
type tail func(h *headers) iter.Seq2[*Step, error]

// splitter makes the Split of a codec from its Scanner, and from its tail if that is
// not nil.
func splitter(name string, scan func() Scanner, t tail) func(io.ReaderAt, int64) iter.Seq2[Unit, error] {
	return func(r io.ReaderAt, size int64) iter.Seq2[Unit, error] {
		return func(yield func(Unit, error) bool) {
			if size == 0 {
				return
			}
			h := headersOf(r, size)
			if t != nil {
				given := false
				err := units(t(h), size, func(u Unit) bool {
					given = true
					return yield(u, nil)
				})
				if err == nil || err == errStopped {
					return
				}
				if !errors.Is(err, errNoHint) || given {
					yield(Unit{}, &Error{Codec: name, StoredOffset: size, Err: noHint(err)})
					return
				}
			}
			w := newWalk(name, scan(), h)
			if err := units(w.steps(), size, func(u Unit) bool { return yield(u, nil) }); err != nil && err != errStopped {
				yield(Unit{}, &Error{Codec: name, StoredOffset: w.off, Err: err})
			}
		}
	}
}

// noHint is err without errNoHint.
func noHint(err error) error {
	if errors.Is(err, errNoHint) {
		return ErrCorrupt
	}
	return err
}

// errStopped says that no more units are wanted.
var errStopped = errors.New("stopped")

// units calls yield for the units of steps.
func units(steps iter.Seq2[*Step, error], size int64, yield func(Unit) bool) error {
	var s sums
	for st, err := range steps {
		if err != nil {
			if u, ends := s.beforeFault(); ends && !errors.Is(err, errNoHint) && !yield(u) {
				return errStopped
			}
			return err
		}
		if u, ends := s.add(st); ends && !yield(u) {
			return errStopped
		}
	}
	s.unit.Size = size - s.unit.Offset
	if !yield(s.unit) {
		return errStopped
	}
	return nil
}
