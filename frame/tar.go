package frame

import (
	"bytes"
	"fmt"
	"io"
	"math"
)

// tar returns the data of each regular file in a tar archive: ustar, pax or GNU.
// Headers, padding, members that are no file and zero blocks go to the raw bytes
// of the file that follows, and count with them against MaxRecord. Checksums of
// headers are verified. Archives that stand one after the other are read on.
//
// The type of a member decides (see tarKindOf): folders, links, devices, names,
// labels and the lists of incremental dumps are passed over; what may hold a file
// but not all of it in one piece is [ErrRecord] and [ErrUnsupported]: sparse files
// in any form, parts of other volumes, and types that no standard knows.
//
// An archive that ends without a zero block is io.ErrUnexpectedEOF, as is a final
// partial file; bytes after the zero blocks that are no archive are an error too.
// A Scanner continues after a file that is too long or not supported,
// and after a bad header at the next block that is a header by its checksum.
func tar() Framer {
	return Framer{
		Name:       "tar",
		Extensions: []string{".tar"},
		New: func(opts *Options) (Scanner, error) {
			limit := int64(math.MaxUint32)
			if opts.MaxRecord > 0 {
				limit = min(limit, int64(opts.MaxRecord))
			}
			return &tarScanner{limit: limit}, nil
		},
		Body: tarBody,
	}
}

type tarScanner struct {
	limit int64
	walk  tarWalk
	over  bool // the end of the object was refused and left out
	bad   tarBad
}

func (s *tarScanner) Scan(slab []byte, eof bool, ends []uint32) ([]uint32, error) {
	if s.over && len(slab) == 0 {
		return ends, nil
	}
	last := 0
	s.walk.limit = s.limit
	for {
		file, found, err := s.walk.next(slab[last:])
		pos := int64(s.walk.pos)
		if err == nil && found {
			err = file.refused
		}
		size := addTar(pos+tarBlock, padTar(file.size))
		switch {
		case err != nil:
		case found && size > s.limit:
			err = ErrTooLong
		case found && size <= int64(len(slab)-last):
			last += int(size)
			ends = append(ends, uint32(last))
			s.walk = tarWalk{limit: s.limit}
			continue
		case eof && (found || !s.walk.ended || !isZero(slab[last+s.walk.pos:])):
			err = io.ErrUnexpectedEOF
			if !found && pos == int64(len(slab)-last) && s.walk.left == 0 && s.walk.skip == 0 {
				err = errTarEnd
			}
			pos = int64(len(slab) - last)
		}
		if err != nil {
			return ends, &Error{Framer: "tar", Offset: pos, Err: err}
		}
		return ends, nil
	}
}

func (s *tarScanner) State() []byte { return nil }

// errTarEnd is the error of an archive that ends between two members.
var errTarEnd = fmt.Errorf("%w: no zero block ends the archive", io.ErrUnexpectedEOF)

// tarBad is how far Resync is in the bad record.
type tarBad struct {
	within    bool
	searching bool  // for a header
	drop      bool  // the member that is found belongs to the bad header
	extended  bool  // another block of a sparse file's map follows
	data      int64 // of the file, that are to come
	skipping  bool  // the file's header was left out
}

// Resync leaves out the file, with all that stands before it, or what is before
// the next header.
func (s *tarScanner) Resync(slab []byte, eof bool) (n int, done bool) {
	bad := &s.bad
	if !bad.within {
		s.walk, *bad = tarWalk{lenient: true}, tarBad{within: true}
	}
	for !done {
		before, was := n, *bad
		switch {
		case bad.searching:
			n, done = s.search(slab, n)
		case bad.extended:
			if len(slab)-n >= tarBlock {
				bad.extended = slab[n+504] != 0
				n += tarBlock
			}
		case bad.skipping:
			take := min(bad.data, int64(len(slab)-n))
			bad.data -= take
			n += int(take)
			done = bad.data == 0
		default:
			file, found, err := s.walk.next(slab[n:])
			n += s.walk.pos
			s.walk.pos = 0
			switch {
			case err != nil:
				bad.searching, bad.drop = true, isPax(slab[n:])
				n += tarBlock
			case found:
				bad.skipping, bad.extended, bad.data = true, file.extended, padTar(file.size)
				n += tarBlock
			}
		}
		if n == before && *bad == was && !done {
			break
		}
	}
	if eof && !done {
		n, done, s.over = len(slab), true, true
	}
	if done {
		s.walk, s.bad = tarWalk{}, tarBad{}
	}
	return n, done
}

// search looks for a block that is a header by its checksum.
func (s *tarScanner) search(slab []byte, n int) (at int, found bool) {
	for ; len(slab)-n >= tarBlock; n += tarBlock {
		if b := slab[n : n+tarBlock]; isZero(b) || checkTarSum(b) != nil {
			continue
		}
		if s.bad.drop { // what the bad header said of it is not known
			s.bad.searching, s.bad.drop = false, false
			s.walk = tarWalk{lenient: true, any: true}
			return n, false
		}
		return n, true
	}
	return n, false
}

// tarBody finds the file's data after its headers.
func tarBody(raw []byte, _ int64) []byte {
	var w tarWalk
	file, found, err := w.next(raw)
	if err != nil || !found {
		return nil
	}
	data := raw[w.pos+tarBlock:]
	return data[:min(file.size, int64(len(data)))]
}

// tarWalk goes over all that stands before a file's data. It remembers how far it
// is, so that nothing is looked at twice when more bytes come.
type tarWalk struct {
	pos     int   // the next byte to look at
	left    int64 // bytes of a pax header's records from pos on
	skip    int64 // bytes passed over from pos on, after those
	pax     paxFacts
	ended   bool  // the last block was zero
	limit   int64 // what is beyond is refused as soon as a header says so; 0 for none
	lenient bool  // a bad pax header is passed over, and makes the next member found
	any     bool  // the next member is found, of whatever kind
}

// tarMember is a member at pos.
type tarMember struct {
	size     int64 // of its data, without padding
	refused  error // why it is no record
	extended bool  // another block of its map follows the header
}

// next walks to the next file. found says that its header is at pos; without an
// error and a file more blocks are needed.
func (w *tarWalk) next(b []byte) (m tarMember, found bool, err error) {
	for {
		if w.left > 0 {
			n, err := w.pax.read(b[w.pos:], w.left)
			w.pos += n
			w.left -= int64(n)
			switch {
			case err != nil && !w.lenient:
				return m, false, err
			case err != nil:
				w.any = true
				w.skip += w.left
				w.left, w.pax.over = 0, 0
			case w.left > 0:
				return m, false, nil
			}
		}
		take := min(w.skip, int64(len(b)-w.pos))
		w.pos += int(take)
		if w.skip -= take; w.skip > 0 || len(b)-w.pos < tarBlock {
			return m, false, nil
		}
		head := b[w.pos : w.pos+tarBlock]
		if isZero(head) {
			w.ended = true
			w.pos += tarBlock
			continue
		}
		kind, size, err := parseTarHeader(head)
		if err != nil {
			if w.ended {
				err = fmt.Errorf("bytes after the end of the archive that begin no other: %w", err)
			}
			return m, false, err
		}
		w.ended = false
		switch {
		case kind == tarEmpty, kind == tarFile && size == 0 && !w.pax.named && endsInSlash(head):
			kind, size = tarEmpty, 0
		case w.pax.sized && kind != tarPax && kind != tarName:
			size = w.pax.size
		}
		switch {
		case kind == tarPax:
			w.pax = paxFacts{part: w.pax.part, named: w.pax.named}
			w.left, w.skip = size, padTar(size)-size
		case kind == tarName:
			w.pax.named = true
			w.skip = padTar(size)
		case (kind == tarEmpty || kind == tarPassed) && !w.any:
			w.pax = paxFacts{}
			w.skip = padTar(size)
		default:
			return w.pax.member(head, kind, size), true, nil
		}
		w.pos += tarBlock
		if most := addTar(int64(w.pos), addTar(w.left, w.skip)); w.limit > 0 && most > w.limit {
			return m, false, ErrTooLong
		}
	}
}

// padTar rounds up to whole blocks.
func padTar(n int64) int64 {
	if n > math.MaxInt64-tarBlock {
		return n
	}
	return (n + tarBlock - 1) &^ (tarBlock - 1)
}

// addTar adds sizes, the largest number where that is over it.
func addTar(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func isZero(b []byte) bool {
	return len(bytes.TrimLeft(b, "\x00")) == 0
}
