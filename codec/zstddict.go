package codec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/thaw-go/thaw/internal/decode/zstd"
	"github.com/thaw-go/thaw/internal/limits"
)

// An object may hold the dictionary of its frames itself, in a skippable frame that
// is its first (Zstandard Compression for WARC Files 1.0, section 4.2): as it is, or
// compressed as one frame.
const (
	zstdDictFrame = "\x5d\x2a\x4d\x18"
	zstdDictMagic = "\x37\xa4\x30\xec"
)

// zstdDictShare says which part of the largest window a dictionary may be, and the
// window of the frame that it is compressed in: with what is copied while it grows,
// all of it is within the whole.
const zstdDictShare = 8

// zstdOwn is the dictionary that an object holds. The zero value is none.
type zstdOwn struct {
	dict   *zstd.Dict
	size   int64  // of it
	memory int64  // held for it
	state  []byte // of the points after it; nil where it is too large for that
	err    error  // why dict is nil, for a frame that needs it
}

// holdsZstdDict reports whether the frame that b begins with, at the start of an
// object, may hold a dictionary. b is the header and four bytes more.
func holdsZstdDict(b []byte) bool {
	if len(b) < skippableHeader+4 || string(b[:4]) != zstdDictFrame || binary.LittleEndian.Uint32(b[4:]) < 8 {
		return false
	}
	kind := string(b[skippableHeader : skippableHeader+4])
	return kind == zstdDictMagic || kind == zstdMagic
}

// ownDict consumes the first frame of an object, which is skippable, and keeps the
// dictionary in it. A frame that holds none is skipped like any other. Only what ends
// the read is an error: that there is no dictionary is for a frame that needs one.
func (f *zstdFormat) ownDict() error {
	b, _ := f.in.Peek(skippableHeader + 4)
	if !holdsZstdDict(b) {
		return skipFrame(f.in)
	}
	content := &io.LimitedReader{R: f.in, N: int64(binary.LittleEndian.Uint32(b[4:]))}
	f.in.Discard(skippableHeader)
	f.blocks = zstd.NewReader() // the window of an object before goes first
	if err := f.loadDict(content); err != nil {
		return err
	}
	return skip(f.in, content.N)
}

// loadDict reads a dictionary as its frame holds it. The error is a refusal of
// memory.
func (f *zstdFormat) loadDict(content io.Reader) error {
	l := zstdDictLoad{opts: f.opts, limit: f.opts.maxWindow() / zstdDictShare}
	b, err := l.read(content)
	f.own = zstdOwn{}
	if err == nil {
		if f.own.dict, err = zstd.ParseDict(b); err != nil {
			f.own.dict = nil
		}
	}
	switch {
	case l.refused != nil:
		return l.refused
	case errors.Is(err, ErrLimit):
		f.own.err = err
	case err != nil:
		f.own.err = fmt.Errorf("%w: dictionary in the first frame: %v", ErrCorrupt, err)
	default:
		f.own.size = int64(len(b))
		f.opts.note(zstdDictShare*f.own.size, 0)
		f.own.memory = int64(cap(b) + cap(l.stored))
		if len(l.stored) <= limits.State {
			f.own.state = l.stored
		}
	}
	return nil
}

// zstdDictLoad reads one dictionary.
type zstdDictLoad struct {
	opts    *Options
	limit   int64
	stored  []byte // what was read, up to one byte more than a state may have
	inner   int64  // memory of the decoder that unpacks it
	out     int64  // of what came out
	refused error
}

// Write keeps what is read.
func (l *zstdDictLoad) Write(p []byte) (int, error) {
	l.stored = append(l.stored, p[:min(len(p), limits.State+1-len(l.stored))]...)
	return len(p), nil
}

// hold asks for what is held in all. The buffer of stored may be twice its length.
func (l *zstdDictLoad) hold() error {
	l.refused = l.opts.hold(l.inner + l.out + 2*min(limits.State+1, l.limit))
	return l.refused
}

// read returns the dictionary in content, unpacked.
func (l *zstdDictLoad) read(content io.Reader) ([]byte, error) {
	src := NewInput(io.TeeReader(content, l), 4<<10)
	head, err := src.Peek(len(zstdMagic))
	if err != nil {
		return nil, noEOF(err)
	}
	if string(head) != zstdMagic {
		return l.all(src)
	}
	d, err := newDecoder("zstd", &Options{MaxWindow: l.limit, Grow: func(memory int64) error {
		l.inner = memory
		return l.hold()
	}}, newZstd)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	d.adopt(src)
	return l.all(d)
}

// all reads r to its end.
func (l *zstdDictLoad) all(r io.Reader) ([]byte, error) {
	var b []byte
	for {
		if len(b) == cap(b) {
			size := min(max(2*cap(b), runStep), int(l.limit)+1)
			l.out = int64(cap(b) + size)
			if err := l.hold(); err != nil {
				return nil, err
			}
			b = append(make([]byte, 0, size), b...)
			l.out = int64(size)
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case int64(len(b)) > l.limit:
			return nil, &LimitError{What: "dictionary", Allowed: l.limit}
		case err == io.EOF:
			return b, nil
		case err != nil:
			return nil, err
		}
	}
}

// dictionary finds the one that a frame names; nil for a frame that names none.
func (f *zstdFormat) dictionary(id uint32) (*zstd.Dict, error) {
	own := &f.own
	switch {
	case id == 0:
		return nil, nil
	case own.dict != nil && own.dict.ID() == id:
		return own.dict, nil
	case f.dicts[id] != nil:
		return f.dicts[id], nil
	case own.err != nil:
		return nil, own.err
	}
	return nil, fmt.Errorf("%w: zstd dictionary %d", ErrDictionary, id)
}

// carry implements carrier: the dictionary goes with every point.
func (f *zstdFormat) carry() (state []byte, ok bool) {
	return f.own.state, f.own.dict == nil || f.own.state != nil
}

// resume implements resumer: state is what carry returned.
func (f *zstdFormat) resume(in *Input, state []byte) error {
	f.in = in
	if err := f.loadDict(bytes.NewReader(state)); err != nil {
		return err
	}
	if errors.Is(f.own.err, ErrLimit) {
		return f.own.err
	}
	if f.own.err != nil {
		return fmt.Errorf("%w: restart state", ErrCorrupt)
	}
	return errBetween
}
