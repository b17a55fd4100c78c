package stress_test

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/thaw-go/thaw/stream"
)

// classes is a set of error classes.
type classes uint32

func classesOf(cs ...stream.Class) (s classes) {
	for _, c := range cs {
		s |= 1 << c
	}
	return s
}

func (s classes) has(c stream.Class) bool { return s&(1<<c) != 0 }

func (s classes) String() string {
	var names []string
	for c := stream.Class(0); c < 32; c++ {
		if s.has(c) {
			names = append(names, c.String())
		}
	}
	return strings.Join(names, "|")
}

// damaged is what decoders may say of bytes that were changed.
var damaged = classesOf(stream.ClassCorrupt, stream.ClassChecksum, stream.ClassTruncated, stream.ClassLimit, stream.ClassTrailing, stream.ClassUnsupported, stream.ClassDictionary)

// want is one record of an object, by its index.
type want struct {
	body  []byte
	left  bool // it is left out, and counted
	cut   bool // it is cut to MaxRecord
	maybe bool // it may be delivered or not, and cut anywhere
}

// outcome is what must become of an object.
type outcome struct {
	records []want
	least   int     // so many of records are certain
	clean   bool    // it may end without an error
	ends    classes // or with one of these
	wild    bool    // records behind records may be anything
	vague   bool    // which of them are left out, or cut, is not certain
}

func (o *outcome) String() string {
	return fmt.Sprintf("%d records, %d of them certain, clean %v, ends %v, wild %v", len(o.records), o.least, o.clean, o.ends, o.wild)
}

// sure says that there is one right answer.
func (o *outcome) sure() bool {
	return !o.wild && !o.vague && o.least == len(o.records) && o.clean == (o.ends == 0)
}

// reading is how a job reads, as far as that decides what becomes of an object.
type reading struct {
	maxRecord      int
	oversized      stream.OversizedPolicy
	maxDecoded     int64
	ignoreTrailing bool
	skipRecords    bool                   // the policy leaves refused records out
	parse          func(body []byte) bool // false: the parser refuses it; nil takes all
}

// damage is what was done to stored bytes.
type damage struct {
	kind damageKind
	at   int // per mille of the stored bytes
}

type damageKind uint8

const (
	intact damageKind = iota
	cutShort
	flipped
	junkBehind
)

func (d damage) String() string {
	switch d.kind {
	case cutShort:
		return fmt.Sprintf(" cut at %d/1000", d.at)
	case flipped:
		return fmt.Sprintf(" bit changed at %d/1000", d.at)
	case junkBehind:
		return " with junk behind"
	}
	return ""
}

const junk = "this is no member of anything, it is junk"

// apply does the damage. The place is returned too.
func (d damage) apply(s *stored) (data []byte, at int) {
	n := len(s.data)
	switch at = d.place(s); d.kind {
	case cutShort:
		return s.data[:at], at
	case flipped:
		data = bytes.Clone(s.data)
		data[at] ^= 1 << (d.at & 7)
		return data, at
	case junkBehind:
		return append(bytes.Clone(s.data), junk...), n
	}
	return s.data, n
}

// place is where damage strikes: behind what tells the codec.
func (d damage) place(s *stored) int {
	const magic = 24
	n := len(s.data)
	switch {
	case n <= magic:
		return n - 1
	case d.kind == cutShort && s.encoding.name == "none":
		return 4 + (n-4)*d.at/1000 // behind a byte order mark
	}
	return magic + (n-magic)*d.at/1000
}

// extent is what decoding gives of an object.
type extent struct {
	sure, most int // at least and at most so many of its decoded bytes
	clean      bool
	ends       classes // behind them
	wild       bool    // other bytes may follow
}

// exact says that there is one right answer, and no fault in it.
func (x *extent) exact() bool { return x.sure == x.most && x.clean && x.ends == 0 && !x.wild }

// decode is the reference for decoding.
func (r *reading) decode(s *stored, d damage) extent {
	n := len(s.plain.data)
	x := extent{sure: n, most: n, clean: true}
	_, at := d.apply(s)
	var whole part // the last part that the damage leaves alone
	for _, q := range s.parts {
		if q.stored <= at {
			whole = q
		}
	}
	none := s.encoding.name == "none"
	switch {
	case d.kind == cutShort && none:
		x.sure, x.most = at, at
	case d.kind == cutShort && whole.stored == at:
		x.sure, x.most = whole.decoded, whole.decoded
	case d.kind == cutShort && s.encoding.name == "lz4-block" && lz4BlockEnds(s.data[:at]) >= 0:
		n := lz4BlockEnds(s.data[:at]) // nothing in a raw block says how long it is
		x.sure, x.most = n, n
	case d.kind == cutShort:
		x.sure, x.clean, x.ends = whole.decoded, false, classesOf(stream.ClassTruncated)
	case d.kind == flipped && none, d.kind == junkBehind && none:
		x.sure, x.ends, x.wild = 0, classesOf(stream.ClassBadRecord, stream.ClassOversized), true
	case d.kind == flipped: // clean where no checksum covers it
		x.sure, x.ends, x.wild = whole.decoded, damaged|classesOf(stream.ClassBadRecord, stream.ClassOversized), true
	case d.kind == junkBehind && s.encoding.tolerant():
		x.ends, x.wild = damaged|classesOf(stream.ClassBadRecord, stream.ClassOversized), true
	case d.kind == junkBehind && strings.HasPrefix(s.encoding.name, "lzip"): // its manual allows it
	case d.kind == junkBehind && !r.ignoreTrailing:
		x.clean, x.ends = false, classesOf(stream.ClassTrailing)
	}
	if limit := r.maxDecoded; limit > 0 && (int64(x.most) > limit || x.wild) {
		x.most = min(x.most, int(limit))
		if x.sure > x.most {
			x.sure, x.ends, x.clean = x.most, 0, false
		}
		x.ends |= classesOf(stream.ClassLimit)
		if strings.Contains(s.encoding.name, " in ") {
			x.sure = 0
		}
	}
	return x
}

// expect is the reference: what must become of an object that was damaged.
func (r *reading) expect(s *stored, d damage) *outcome {
	w := &walk{reading: r, plain: s.plain, extent: r.decode(s, d), ok: true}
	return w.run()
}

// tolerant says that what stands behind the last member may be taken for a part of
// the format.
func (e *encoding) tolerant() bool {
	for _, name := range []string{"snappy", "s2", "hadoop", "lz4-", " in "} {
		if strings.Contains(e.name, name) {
			return true
		}
	}
	return false
}

// walk goes over the records of an object.
type walk struct {
	*reading
	*plain
	extent

	out  outcome
	ok   bool // the records so far are certain
	done bool // behind all records
}

func (w *walk) run() *outcome {
	start := 0
	for _, p := range w.pieces {
		p = w.joined(p)
		if !w.firm(p) {
			w.certain()
		}
		switch {
		case p.end > w.most:
			return w.tail(p, start)
		case !w.piece(p, start, p.end):
			return &w.out
		}
		start = p.end
	}
	w.done = true
	return w.tail(piece{end: len(w.data)}, start)
}

// joined is a piece with what follows it where a cut took from the next one what it
// begins by: a number is no record without its blank.
func (w *walk) joined(p piece) piece {
	if !strings.HasPrefix(w.format.frame, "regexp:") || p.end >= w.most || w.most == len(w.data) {
		return p
	}
	if len(bytes.Trim(w.data[p.end:w.most], "0123456789")) == 0 {
		p.to, p.end = p.from+len(chomp(w.data[p.from:w.most])), w.most
	}
	return p
}

// firm says that a piece is decoded, and seen to end, in any case.
func (w *walk) firm(p piece) bool {
	if w.exact() {
		return p.end <= w.sure
	}
	if strings.HasPrefix(w.format.frame, "regexp:") {
		return p.end+8192 <= w.sure
	}
	return p.end <= w.sure && p.end < len(w.data)
}

// certain ends the part of which everything is known.
func (w *walk) certain() {
	if w.ok {
		w.ok, w.out.least = false, len(w.out.records)
	}
}

// piece takes one record that is there as far as until. False: the object ends.
func (w *walk) piece(p piece, start, until int) bool {
	over := until-start > w.maxRecord
	switch {
	case over && p.bad: // refused as one or the other, and perhaps cut
		w.certain()
		w.out.vague = true
		w.add(want{maybe: true})
		if p.lost || !w.skipRecords {
			w.end(classesOf(stream.ClassBadRecord, stream.ClassOversized), !p.lost && w.oversized != stream.FailOversized)
		}
		return !p.lost
	case p.lost:
		return w.end(classesOf(stream.ClassBadRecord), false)
	case p.bad:
		return w.refuse(stream.ClassBadRecord)
	case over && w.oversized == stream.SkipOversized:
		w.add(want{left: true})
	case over && w.oversized == stream.TruncateOversized:
		return w.deliver(w.cutTo(p, start, start+w.maxRecord), true)
	case over:
		return w.refuse(stream.ClassOversized)
	default:
		return w.deliver(w.data[p.from:p.to], false)
	}
	return true
}

func (w *walk) add(x want) {
	w.out.records = append(w.out.records, x)
}

// deliver takes a record unless the parser refuses it. Where that ends the object,
// nothing of its batch is delivered.
func (w *walk) deliver(body []byte, cut bool) bool {
	if w.parse == nil || w.parse(body) {
		w.add(want{body: body, cut: cut})
		return true
	}
	if w.skipRecords {
		w.out.vague = w.out.vague || cut
		w.add(want{left: true})
		return true
	}
	w.out.least = 0
	w.ok = false
	return w.end(classesOf(stream.ClassBadRecord), false)
}

// refuse asks the policy for records.
func (w *walk) refuse(c stream.Class) bool {
	if w.skipRecords {
		w.add(want{left: true})
		return true
	}
	return w.end(classesOf(c), false)
}

// end is the end of the object in its middle.
func (w *walk) end(c classes, clean bool) bool {
	w.out.ends |= c
	w.out.clean = w.out.clean || clean
	if !w.ok { // it may not come so far
		w.out.ends |= w.ends
		w.out.clean = w.out.clean || w.clean
	} else {
		w.out.least = len(w.out.records)
	}
	w.out.wild = w.wild
	return false
}

// tail is what stands behind the last whole record of what is decoded.
func (w *walk) tail(p piece, start int) *outcome {
	rest, f := w.data[start:w.most], w.format
	more := true
	switch {
	case !w.exact():
		w.certain()
		if p.bad || p.end-start > w.maxRecord { // it may be judged before its end is there
			w.out.vague = true
			w.add(want{maybe: true})
			w.out.ends |= classesOf(stream.ClassOversized, stream.ClassBadRecord)
		}
		more = w.end(w.ends, w.clean)
	case f.cut == cutClosed && w.most < len(w.data) && !(w.done && w.closed(rest)):
		more = w.partial(p, start)
	case w.done, len(rest) == 0, f.blank(rest):
	case strings.HasPrefix(f.frame, "csv") && bytes.Count(rest, []byte{'"'})%2 == 1:
		p.bad, p.lost = true, bytes.IndexByte(rest, '\n') >= 0 // it could be the rest of the object
		more = w.piece(p, start, w.most)
	case f.cut == cutClosed || f.cut == cutSized || p.bad || w.ragged(rest, start):
		more = w.partial(p, start)
	case len(rest) > w.maxRecord:
		more = w.piece(p, start, w.most)
	default:
		more = w.deliver(w.cutTo(p, start, w.most), false)
	}
	if more {
		w.out.clean = true
		if w.ok {
			w.out.least = len(w.out.records)
		}
	}
	return &w.out
}

// partial takes a record that the end cut off, in a format that shows it.
func (w *walk) partial(p piece, start int) bool {
	if p.lost { // or its fault is not there yet
		w.certain()
		w.out.vague = true
		w.add(want{maybe: true})
		return w.end(classesOf(stream.ClassBadRecord, stream.ClassOversized), w.skipRecords || w.oversized != stream.FailOversized)
	}
	p.bad = true
	return w.piece(p, start, w.most)
}

// ragged says that a row that is cut lacks fields that it should have.
func (w *walk) ragged(rest []byte, start int) bool {
	return w.format.frame == "csv:ragged=error" && start > 0 && bytes.Count(rest, []byte{','}) != 2
}

// closed says that a marked end is there all the same.
func (w *walk) closed(rest []byte) bool {
	if w.format.frame == "tar" {
		return len(rest) >= 512
	}
	return bytes.IndexByte(rest, ']') >= 0
}

// blank says that what is left belongs to no record.
func (f *format) blank(rest []byte) bool {
	switch f.frame {
	case "ndjson", "json":
		return len(bytes.Trim(rest, " \t\r\n")) == 0
	case "warc":
		return len(bytes.Trim(rest, "\r\n")) == 0
	}
	return false
}

// cutTo is the body of a record of which the raw bytes up to until are there.
func (w *walk) cutTo(p piece, start, until int) []byte {
	until = min(until, p.end)
	if until <= p.from || p.bad {
		return nil
	}
	switch body := w.data[p.from:until]; {
	case until == p.end:
		return w.data[p.from:p.to]
	case w.format.frame == "warc":
		return chomp(chomp(body))
	case w.format.cut == cutText:
		return chomp(body)
	case w.format.cut == cutRaw || strings.HasPrefix(w.format.frame, "json"):
		return body
	default:
		return w.data[p.from:min(until, p.to)]
	}
}

// chomp takes one line's ending off.
func chomp(b []byte) []byte {
	if c, ok := bytes.CutSuffix(b, []byte{'\n'}); ok {
		return bytes.TrimSuffix(c, []byte{'\r'})
	}
	return b
}
