package seek

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/limits"
)

// The stored form of an Index, docs/index-format.md.
const (
	formVersion = 1

	// headSize is the most that all but the points and the two texts takes.
	headSize = int64(len(Magic)+1+6*binary.MaxVarintLen64) + sha256.Size
)

// most is the most that a point takes in the stored form: offsets are stored as
// differences.
func (p *point) most() int64 {
	n := len(p.packed)
	for _, v := range []int64{p.stored, p.decoded, int64(p.size), int64(n)} {
		n += len(binary.AppendUvarint(nil, uint64(v)))
	}
	return int64(n)
}

// AppendBinary implements [encoding.BinaryAppender]: it appends the stored form of x to b. The
// stored form of an Index is always the same. The error is always nil.
func (x *Index) AppendBinary(b []byte) ([]byte, error) {
	begin := len(b)
	b = append(b, Magic...)
	b = append(b, formVersion)
	for _, text := range []string{x.Codec, x.Version} {
		b = binary.AppendUvarint(b, uint64(len(text)))
		b = append(b, text...)
	}
	for _, n := range []int64{x.Stored, x.Decoded, x.Spacing, int64(len(x.points))} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	var last point
	for _, p := range x.points {
		b = binary.AppendUvarint(b, uint64(p.stored-last.stored))
		b = binary.AppendUvarint(b, uint64(p.decoded-last.decoded))
		b = binary.AppendUvarint(b, uint64(p.size))
		if p.size > 0 {
			b = binary.AppendUvarint(b, uint64(len(p.packed)))
			b = append(b, p.packed...)
		}
		last = p
	}
	sum := sha256.Sum256(b[begin:])
	return append(b, sum[:]...), nil
}

// ReadIndex reads the stored form of an Index from r, to the end of r. Bytes that are no index,
// or a damaged one, are [codec.ErrCorrupt]. A later version of the form is
// [codec.ErrUnsupported]. More than 64 MiB are [codec.ErrLimit]. An error of r is wrapped.
// Memory depends on the bytes that r has, not on what they claim.
func ReadIndex(r io.Reader) (*Index, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	if err != nil {
		return nil, fmt.Errorf("seek: index: %w", err)
	}
	if len(b) > maxSize {
		return nil, fmt.Errorf("seek: index: %w", &codec.LimitError{What: "index", Allowed: maxSize})
	}
	x := new(Index)
	if err := x.parse(b); err != nil {
		return nil, fmt.Errorf("seek: index: %w", err)
	}
	return x, nil
}

// parse keeps parts of b.
func (x *Index) parse(b []byte) error {
	if !bytes.HasPrefix(b, []byte(Magic)) {
		return fmt.Errorf("%w: it does not begin like one", codec.ErrCorrupt)
	}
	f := fields{b: b[len(Magic):]}
	if v := f.bytes(1); v != nil && v[0] != formVersion {
		return fmt.Errorf("%w: version %d of the form", codec.ErrUnsupported, v[0])
	}
	if len(f.b) < sha256.Size {
		return fmt.Errorf("%w: it ends too early", codec.ErrCorrupt)
	}
	end := len(b) - sha256.Size
	if sha256.Sum256(b[:end]) != [sha256.Size]byte(b[end:]) {
		return fmt.Errorf("%w: its checksum does not match", codec.ErrCorrupt)
	}
	f.b = f.b[:len(f.b)-sha256.Size]

	x.Codec = string(f.bytes(f.number(maxName)))
	x.Version = string(f.bytes(f.number(maxVersion)))
	x.Stored, x.Decoded, x.Spacing = f.number(maxInt64), f.number(maxInt64), f.number(maxInt64)
	count := f.number(maxPoints)
	var last point
	for ; count > 0 && !f.bad; count-- {
		p := point{
			stored:  last.stored + f.number(x.Stored-last.stored),
			decoded: last.decoded + f.number(x.Decoded-last.decoded),
			size:    int(f.number(limits.State)),
		}
		if p.size > 0 {
			p.packed = f.bytes(f.number(int64(p.size)))
		}
		if p.decoded == last.decoded || p.stored == 0 {
			f.bad = true
		}
		x.points = append(x.points, p)
		last = p
	}
	if f.bad || len(f.b) > 0 || x.Codec == "" || x.Spacing == 0 {
		return fmt.Errorf("%w: its fields make no sense", codec.ErrCorrupt)
	}
	return nil
}

const maxInt64 = 1<<63 - 1

// fields takes fields off the front of b. Once one is bad, all are zero.
type fields struct {
	b   []byte
	bad bool
}

// number is the next one, at most limit.
func (f *fields) number(limit int64) int64 {
	n, size := binary.Uvarint(f.b)
	if size <= 0 || n > uint64(limit) || f.bad {
		f.bad = true
		return 0
	}
	f.b = f.b[size:]
	return int64(n)
}

// bytes are the next n.
func (f *fields) bytes(n int64) []byte {
	if int64(len(f.b)) < n || f.bad {
		f.bad = true
		return nil
	}
	p := f.b[:n:n]
	f.b = f.b[n:]
	return p
}
