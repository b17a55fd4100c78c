package codec

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"time"
)

// gzip reads the header of the first member, and all blocks of BGZF. Members of
// other gzip do not tell where they end.
func (i *inspection) gzip(c Codec) error {
	if err := i.gzipHeader(); err != nil {
		return err
	}
	i.restart()
	i.checksum("crc32")
	rest := int64(-1) // where blocks of BGZF end and something else begins
	empty := false    // the last block has no data
	err := i.split(c, func(u Unit) error {
		i.at = u.Offset + u.Size
		if u.Decoded < 0 {
			rest = u.Offset
			i.declare(-1)
			return nil
		}
		i.Members.add(Part{
			Kind: "member", Offset: u.Offset, Size: u.Size, Decoded: u.Decoded,
			Window: inflateWindow, Checksum: "crc32",
		}, i.most)
		i.declare(u.Decoded)
		empty = u.Decoded == 0
		return nil
	})
	if i.Members.Count > 0 {
		i.variant("bgzf")
		i.How = "headers of BGZF blocks"
	}
	switch {
	case err != nil:
		return i.torn(err)
	case rest >= 0:
		i.Members.Count = -1
		if rest > 0 {
			i.note("what begins at offset %d is no BGZF, or followed by zeros", rest)
		}
		return i.gzipTrailer()
	case i.Members.Count > 0 && !empty:
		i.note(doubtNote, bgzfCut)
	}
	return nil
}

// gzipTrailer notes what the last eight bytes state, if they are a trailer: zeros
// may follow.
func (i *inspection) gzipTrailer() error {
	var b [4]byte
	if i.size < 18 {
		return nil
	}
	if err := readFullAt(&i.headers, b[:], i.size-4); err != nil {
		return err
	}
	i.note("the last four bytes, the size of the last member modulo 2^32, are %d", binary.LittleEndian.Uint32(b[:]))
	return nil
}

// gzipHeader reads the header of the first member (RFC 1952, section 2.3).
func (i *inspection) gzipHeader() error {
	w := walk{r: &i.headers, size: i.size}
	defer func() { i.at = w.off }()
	b, err := w.at(0, 10)
	if err != nil {
		return err
	}
	switch {
	case string(b[:2]) != gzipMagic[:2]:
		return fmt.Errorf("%w: not gzip data", ErrCorrupt)
	case b[2] != gzipMagic[2]:
		return fmt.Errorf("%w: gzip compression method %d", ErrUnsupported, b[2])
	case b[3]&gzipReserved != 0:
		return fmt.Errorf("%w: reserved gzip flags %#02x", ErrUnsupported, b[3]&gzipReserved)
	}
	flags := b[3]
	if at := binary.LittleEndian.Uint32(b[4:]); at != 0 {
		i.note("the first member was modified %s", time.Unix(int64(at), 0).UTC().Format(time.RFC3339))
	}
	switch b[8] {
	case 2:
		i.note("compressed with the slowest method, as levels of 9 say")
	case 4:
		i.note("compressed with the fastest method, as levels of 1 say")
	}
	w.off = 10
	if flags&gzipExtra != 0 {
		if err := i.gzipFields(&w); err != nil {
			return err
		}
	}
	if flags&gzipName != 0 {
		name := make([]byte, 0, 256)
		for len(name) < cap(name) {
			b, err := w.at(int64(len(name)), 1)
			if err != nil {
				return err
			}
			if b[0] == 0 {
				break
			}
			name = append(name, b[0])
		}
		i.note("the first member is named %s", strconv.QuoteToASCII(latin1(name)))
	}
	return nil
}

// latin1 is b, which RFC 1952 says to be of ISO 8859-1.
func latin1(b []byte) string {
	r := make([]rune, len(b))
	for k, v := range b {
		r[k] = rune(v)
	}
	return string(r)
}

// gzipFields goes through the extra field, whose parts tell their writers.
func (i *inspection) gzipFields(w *walk) error {
	b, err := w.at(0, 2)
	if err != nil {
		return err
	}
	left := int64(le16(b))
	w.off += 2
	for left >= 4 {
		if b, err = w.at(0, 4); err != nil {
			return err
		}
		if string(b[:2]) == "RA" {
			i.variant("dictzip")
		}
		n := 4 + int64(le16(b[2:]))
		if n > left {
			break
		}
		if err := w.advance(n); err != nil {
			return err
		}
		left -= n
	}
	return w.advance(left)
}

// zlib reads the two bytes of the header.
func (i *inspection) zlib() error {
	w := walk{r: &i.headers, size: i.size}
	b, err := w.at(0, 2)
	if err != nil {
		return err
	}
	if !zlibHeader(b) {
		return fmt.Errorf("%w: not zlib data", ErrCorrupt)
	}
	i.checksum("adler32")
	i.note("a window of %d bytes is stated", 256<<(b[0]>>4))
	if b[1]&0x20 == 0 {
		return nil
	}
	if b, err = w.at(2, 4); err != nil {
		return err
	}
	id := binary.BigEndian.Uint32(b)
	i.Dictionaries = once(i.Dictionaries, id, i.most)
	return fmt.Errorf("%w: zlib preset dictionary %08x", ErrDictionary, id)
}
