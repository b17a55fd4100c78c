package ahead

import "io"

// feed divides the stored bytes: they go to the inline decoder, whose source it is, or into
// parts.
//
//	stored bytes: |- read by the inline decoder -|- queue[0] -|- queue[1] -|- open part -|- not read
//	                                             at                                      end
type feed struct {
	src    io.Reader
	err    error // of src, sticky
	finder finder
	starts []start // what the finder found in the last piece

	at, end int64
	queue   []*part // in order and without gaps; all but the last are complete
	served  int     // bytes of queue[0] that went to the inline decoder
	stopped bool    // Read returned io.EOF before a part that a helper has taken
	off     bool    // no more parts are made
	buf     []byte  // what pump reads into
}

const (
	// pumpSize is how many stored bytes are read at once into parts.
	pumpSize = 64 << 10

	// mostStored is how many stored bytes a part may have. A larger unit is decoded inline.
	mostStored = 32 << 20
)

// Least is what decoding ahead is worth its cost for: an object of so many stored bytes, and a
// part, but for the last, of so many stored or decoded bytes. Only tests change it, before
// anything is read.
var Least = least{Object: 1 << 20, Stored: 256 << 10, Decoded: 1 << 20}

type least struct {
	Object, Stored, Decoded int64
	Fast                    bool // also where the decoder is fast
}

// inlineSource is the source of the inline decoder.
type inlineSource struct{ d *Decoder }

// Read implements [io.Reader].
func (s inlineSource) Read(p []byte) (int, error) {
	d, f := s.d, &s.d.feed
	for len(f.queue) > 0 {
		q := f.queue[0]
		if f.served == 0 && !d.begins(q) {
			f.stopped = true
			return 0, io.EOF
		}
		if n := copy(p, q.stored[f.served:]); n > 0 {
			f.served += n
			f.at += int64(n)
			return n, nil
		}
		d.drop()
	}
	for f.err == nil {
		var n int
		n, f.err = f.src.Read(p)
		if n > 0 {
			return d.pass(p[:n])
		}
	}
	return 0, f.err
}

// pass takes a piece of stored bytes for the inline decoder and returns how many of them go
// to it: up to where a unit begins for which there is a worker.
func (d *Decoder) pass(b []byte) (int, error) {
	f := &d.feed
	f.end += int64(len(b))
	for i, s := range f.find(b) {
		if s.offset < f.at || !d.wanted() || !d.reserve(int64(len(b))) {
			continue
		}
		keep := int(s.offset - f.at)
		f.queue = append(f.queue, newPart(start{offset: s.offset, state: s.state}))
		d.fill(b[keep:], f.starts[i+1:])
		b = b[:keep]
		break
	}
	f.at += int64(len(b))
	return len(b), nil
}

// find returns where units begin in b, which was read last.
func (f *feed) find(b []byte) []start {
	f.starts = f.starts[:0]
	f.finder.look(b, func(s start) { f.starts = append(f.starts, s) })
	return f.starts
}

// pump reads bytes that have arrived into parts, while there is somebody to decode them.
func (d *Decoder) pump() {
	f := &d.feed
	for len(f.queue) > 0 && f.err == nil && !f.off && len(f.queue) <= d.mostParts() && d.wanted() && d.c.Arrived() {
		open := f.queue[len(f.queue)-1]
		if open.inline || len(open.stored) > mostStored || !d.reserve(pumpSize+int64(cap(open.stored))) { // it may double
			return
		}
		if f.buf == nil {
			f.buf = make([]byte, pumpSize)
		}
		var n int
		n, f.err = f.src.Read(f.buf)
		f.end += int64(n)
		d.fill(f.buf[:n], f.find(f.buf[:n]))
		d.hire()
	}
}

// fill appends b to the open part, and makes parts of it at starts.
func (d *Decoder) fill(b []byte, starts []start) {
	f := &d.feed
	open := f.queue[len(f.queue)-1]
	d.store(open, b)
	for _, s := range starts {
		if s.decoded < 0 || open.decoded < 0 {
			open.decoded = -1
		} else {
			open.decoded += s.decoded
		}
		cut := s.offset - open.begin.offset
		if cut <= 0 || cut < Least.Stored && open.decoded < Least.Decoded {
			continue
		}
		next := newPart(start{offset: s.offset, state: s.state})
		d.store(next, open.stored[cut:])
		open.stored = open.stored[:cut]
		d.complete(open)
		f.queue = append(f.queue, next)
		open = next
	}
}

// drop removes the first part, whose bytes went to the inline decoder.
func (d *Decoder) drop() {
	f := &d.feed
	q := f.queue[0]
	f.queue[0] = nil
	f.queue = f.queue[1:]
	f.served = 0
	d.free(q)
}
