package codec

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"time"
)

// gzipScanner lists the blocks of BGZF, which state their size in an extra field
// (SAM format specification, section 4.1). It believes that size if a member or the
// end of the object follows, and the decoded size after the block is one that a
// block may have. Members of other gzip show their end only when they are inflated:
// from the first of them on, all is one.
type gzipScanner struct {
	src     bytes.Reader
	in      *Input
	f       gzipFormat
	begun   bool // a member was seen
	inside  bool // the trailer of a block is next
	rest    bool // only the last four bytes are left
	doubted bool
	size    uint32 // decoded, of the last block
}

const (
	bgzfMax  = 64 << 10 // decoded bytes of a block
	gzipLook = 128 << 10
)

var bgzfVariant = []string{"bgzf"}

func newGzipScanner() Scanner { return &gzipScanner{in: NewInput(nil, 64)} }

// shows is what a trailer and a header of BGZF take.
func (s *gzipScanner) shows() int64 {
	if s.inside {
		return 8 + 18
	}
	return 18
}

func (s *gzipScanner) Scan(b []byte, left int64) (Step, error) {
	switch {
	case s.rest:
		switch {
		case len(b) == 0:
			return Step{}, atEnd(left)
		case len(b) < 4:
			return Step{}, short(b, left)
		}
		return Step{Role: StepRest, Part: Part{Size: -1}, Notes: []string{
			fmt.Sprintf("the last four bytes, the size of the last member modulo 2^32, are %d", binary.LittleEndian.Uint32(b)),
		}}, nil
	case s.inside:
		return s.trailer(b, left)
	case len(b) == 0 && left == 0 && s.begun && s.size > 0 && !s.doubted:
		s.doubted = true
		return Step{Role: StepSkip, Notes: []string{fmt.Sprintf(doubtNote, bgzfCut)}}, nil
	case len(b) == 0:
		return Step{}, atEnd(left)
	}
	return s.header(b, left)
}

// header reads the header of a member.
func (s *gzipScanner) header(b []byte, left int64) (Step, error) {
	switch prefix(b, gzipMagic[:2]) {
	case NoMatch:
		return Step{}, ErrTrailing
	case NeedMore:
		return Step{}, short(b, left)
	}
	s.src.Reset(b[2:])
	s.in.Reset(&s.src)
	var h gzipHeader
	s.f.in, s.f.info = s.in, &h
	err := s.f.header()
	switch {
	case err == io.ErrUnexpectedEOF && int64(len(b)) == left:
		return Step{}, err
	case err == io.ErrUnexpectedEOF && len(b) < gzipLook:
		return Step{}, io.ErrShortBuffer
	case err != nil && err != io.ErrUnexpectedEOF:
		return Step{}, err
	}
	st := Step{Role: StepBegin, Unit: true, Part: Part{Kind: "member", Decoded: -1, Window: inflateWindow, Checksum: "crc32"}, Memory: inflateMemory}
	if !s.begun {
		h.describe(&st)
	}
	s.begun = true
	head := 2 + s.in.Offset()
	switch {
	case err != nil, !s.f.bgzf, h.block < head+10:
		return s.others(st, left)
	case left >= 0 && h.block > left:
		// It is cut, or the size lies, and there is little enough to see which.
		if int64(len(b)) < left {
			return Step{}, io.ErrShortBuffer
		}
		if err := s.decodes(b); err != nil {
			return Step{}, err
		}
		return s.others(st, left)
	}
	s.inside = true
	st.Size, st.framing = h.block-8, true
	if st.Variants == nil {
		st.Variants = bgzfVariant // of each block, without an allocation
	} else {
		st.Variants = append(st.Variants, bgzfVariant...)
	}
	return st, nil
}

// decodes is the fault of the members that b holds.
func (s *gzipScanner) decodes(b []byte) error {
	d, err := newDecoder("gzip", nil, newGzip)
	if err != nil {
		return err
	}
	defer d.Close()
	d.adopt(bytes.NewReader(b))
	if _, err = io.Copy(io.Discard, struct{ io.Reader }{d}); err != nil {
		return err.(*Error).Err
	}
	return nil
}

// trailer reads the trailer of a block, and looks whether a member may follow.
func (s *gzipScanner) trailer(b []byte, left int64) (Step, error) {
	if len(b) < 8+3 && int64(len(b)) != left {
		return Step{}, io.ErrShortBuffer
	}
	s.inside = false
	s.size = binary.LittleEndian.Uint32(b[4:])
	if s.size > bgzfMax || len(b) > 8 && prefix(b[8:], gzipMagic) == NoMatch {
		return s.others(Step{}, left)
	}
	return Step{Role: StepEnd, Part: Part{Size: 8, Decoded: int64(s.size)}}, nil
}

// others makes st the rest of the object, which begins within the unit or begins one.
func (s *gzipScanner) others(st Step, left int64) (Step, error) {
	s.rest = true
	st.Role, st.Kind, st.Size = StepRest, "", -1
	st.Decoded = -1
	if left > 18 {
		st.Size = left - 4
	}
	return st, nil
}

// gzipHeader is what a header says beside the flags.
type gzipHeader struct {
	block   int64 // stored size, of a block of BGZF
	time    uint32
	method  byte
	dictzip bool
	name    []byte // its beginning
}

// describe adds what the first header says to st.
func (h *gzipHeader) describe(st *Step) {
	note := func(format string, args ...any) { st.Notes = append(st.Notes, fmt.Sprintf(format, args...)) }
	if h.time != 0 {
		note("the first member was modified %s", time.Unix(int64(h.time), 0).UTC().Format(time.RFC3339))
	}
	switch h.method {
	case 2:
		note("compressed with the slowest method, as levels of 9 say")
	case 4:
		note("compressed with the fastest method, as levels of 1 say")
	}
	if h.dictzip {
		st.Variants = append(st.Variants, "dictzip")
	}
	if h.name != nil {
		note("the first member is named %s", strconv.QuoteToASCII(latin1(h.name)))
	}
}

// latin1 is b, which RFC 1952 says to be of ISO 8859-1.
func latin1(b []byte) string {
	r := make([]rune, len(b))
	for k, v := range b {
		r[k] = rune(v)
	}
	return string(r)
}
