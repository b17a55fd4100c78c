package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
)

// zstdTable is the seek table of the Zstandard Seekable Format, version 0.1.0: a
// skippable frame at the end with the sizes of all frames.
type zstdTable struct {
	off    int64 // of the skippable frame
	frames int64
	entry  int64 // bytes of an entry: 8, or 12 with a checksum
}

const (
	zstdSeekMagic  = "\xb1\xea\x92\x8f"
	zstdSeekFrame  = "\x5e\x2a\x4d\x18"
	zstdSeekFooter = 9
)

// read reads the stored and decoded size of frame k.
func (t zstdTable) read(r io.ReaderAt, k int64) (stored, decoded int64, err error) {
	var b [8]byte
	err = readFullAt(r, b[:], t.off+skippableHeader+k*t.entry)
	return int64(binary.LittleEndian.Uint32(b[:])), int64(binary.LittleEndian.Uint32(b[4:])), err
}

// zstdTail lists the frames of a seek table. Their headers are read where the table
// says that they are, their blocks are not.
func zstdTail(h *headers) iter.Seq2[*Step, error] {
	return func(yield func(*Step, error) bool) {
		t, why, err := findZstdTable(h)
		if err == nil && why == "" {
			why, err = t.steps(h, yield)
		}
		if why != "" {
			yield(&Step{Variants: []string{"seekable"}, Notes: []string{"the seek table is not used: " + why}}, errNoHint)
		} else if err != nil && err != errStopped {
			yield(&Step{}, err)
		}
	}
}

// findZstdTable finds a seek table whose sizes add up to what stands before it. The
// error is errNoHint if there is none. A table that is not to be used has a reason
// why.
func findZstdTable(h *headers) (t zstdTable, why string, err error) {
	var b [zstdSeekFooter]byte
	if h.size < skippableHeader+zstdSeekFooter {
		return t, "", errNoHint
	}
	if err := readFullAt(h, b[:], h.size-zstdSeekFooter); err != nil || string(b[5:]) != zstdSeekMagic {
		return t, "", errNoHint // an error of the source is met again
	}
	t.frames, t.entry = int64(binary.LittleEndian.Uint32(b[:])), 8
	flags := b[4]
	if flags&0x80 != 0 {
		t.entry = 12
	}
	body := t.frames*t.entry + zstdSeekFooter
	t.off = h.size - skippableHeader - body
	if t.off < 0 {
		return t, "it states more frames than the object can hold", nil
	}
	if err := readFullAt(h, b[:skippableHeader], t.off); err != nil {
		return t, "", errNoHint
	}
	switch {
	case flags&0x7c != 0:
		return t, "reserved bits are set", nil
	case string(b[:4]) != zstdSeekFrame || int64(binary.LittleEndian.Uint32(b[4:])) != body:
		return t, "it does not fill its frame", nil
	}
	sum := int64(0)
	for k := range t.frames {
		size, _, err := t.read(h, k)
		if err != nil {
			return t, "", errNoHint
		}
		sum += size
	}
	if sum != t.off {
		return t, "the sizes in it do not add up", nil
	}
	return t, "", nil
}

// steps lists the frames of the table. Table and frames lie apart, and each is read
// in order.
func (t zstdTable) steps(h *headers, yield func(*Step, error) bool) (why string, err error) {
	table := h.apart()
	off := int64(0)
	z := zstdScanner{}
	var b [32]byte
	for k := range t.frames {
		size, decoded, err := t.read(table, k)
		if err != nil {
			return "", err
		}
		if size < skippableHeader {
			return "a frame in it is too short", nil
		}
		head := b[:min(int64(len(b)), t.off-off)]
		if err := readFullAt(h, head, off); err != nil {
			return "", err
		}
		st, err := z.Scan(head, -1)
		begin := err == nil && st.Role == StepBegin
		switch {
		case errors.Is(err, errReadLimit):
			return "", err
		case err == io.ErrShortBuffer && k == 0 && holdsZstdDict(head):
			return "the first frame holds a dictionary", nil
		case err != nil, begin && (st.Decoded >= 0 && st.Decoded != decoded || st.Size > size), !begin && st.Size != size:
			return fmt.Sprintf("what is at offset %d is not what it states", off), nil
		}
		st.Offset = off
		if begin {
			st.Decoded = decoded
			st.Part.Blocks = -1
			z.inside = false
		}
		if !yield(&st, nil) {
			return "", errStopped
		}
		if begin && !yield(&Step{Role: StepEnd, Part: Part{Offset: off + st.Size, Size: size - st.Size}}, nil) {
			return "", errStopped
		}
		off += size
	}
	yield(&Step{
		Role: StepSkip, Part: Part{Kind: "seek table", Offset: t.off, Size: h.size - t.off, Blocks: -1}, Variants: []string{"seekable"},
	}, nil)
	return "", nil
}
