package stress_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
)

// piece is one record as its maker wrote it. Its raw bytes begin where those of the
// piece before end; the record is data[from:to].
type piece struct {
	end      int
	from, to int
	bad      bool // the framer refuses it and finds the next
	lost     bool // the framer refuses it and finds nothing behind it
}

// plain is decoded data with the records that it was made of.
type plain struct {
	format *format
	data   []byte
	pieces []piece
}

// maker writes plain data.
type maker struct {
	r      *rand.Rand
	buf    bytes.Buffer
	pieces []piece
	size   int  // about how many bytes to write
	long   int  // of the longest record
	faulty bool // some records are bad
}

// makePlain draws data of about size bytes.
func makePlain(f *format, r *rand.Rand, size, long int, faulty bool) *plain {
	m := &maker{r: r, size: size, long: min(long, f.longest()), faulty: faulty}
	f.make(m)
	return &plain{format: f, data: m.buf.Bytes(), pieces: m.pieces}
}

// more says whether to write another record.
func (m *maker) more() bool { return m.buf.Len() < m.size }

// now says whether something that is drawn once in n records is due.
func (m *maker) now(n int) bool { return m.r.IntN(n) == 0 }

// spoil says whether the next record is a bad one. Two in a row could be one to a
// framer that looks for the next good one.
func (m *maker) spoil() bool {
	n := len(m.pieces)
	return m.faulty && m.now(12) && (n == 0 || !m.pieces[n-1].bad)
}

// record writes one record between what frames it.
func (m *maker) record(before, body, behind string) {
	m.buf.WriteString(before)
	from := m.buf.Len()
	m.buf.WriteString(body)
	to := m.buf.Len()
	m.buf.WriteString(behind)
	m.pieces = append(m.pieces, piece{end: m.buf.Len(), from: from, to: to})
}

// bad writes what a framer refuses as one record.
func (m *maker) bad(raw string, lost bool) {
	m.buf.WriteString(raw)
	end := m.buf.Len()
	m.pieces = append(m.pieces, piece{end: end, from: end, to: end, bad: true, lost: lost})
}

// length draws the size of a record: mostly small.
func (m *maker) length() int {
	switch m.r.IntN(50) {
	case 0:
		return 1 + m.r.IntN(m.long)
	case 1, 2, 3:
		return 1 + m.r.IntN(min(m.long, 6000))
	case 4:
		return 1
	}
	return 4 + m.r.IntN(min(m.long, 220))
}

var words = []string{"alpha", "beta", "GET", "/index.html", "200", "10.0.0.1", "eps", "zeta", "und", "gruen", "x", "theta"}

// text is n bytes of words on one line.
func (m *maker) text(n int) string {
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(words[m.r.IntN(len(words))])
		b.WriteByte(' ')
	}
	return b.String()[:n]
}

// ending is a line's end.
func (m *maker) ending() string {
	if m.now(8) {
		return "\r\n"
	}
	return "\n"
}

// mark writes a byte order mark now and then; it belongs to no record.
func (m *maker) mark() {
	if m.now(8) {
		m.buf.WriteString("\xef\xbb\xbf")
	}
}

// chop takes the ending off the last line now and then.
func (m *maker) chop() {
	if n := len(m.pieces); n > 0 && m.now(3) && !m.pieces[n-1].bad && m.pieces[n-1].to > m.pieces[n-1].from {
		m.pieces[n-1].end = m.pieces[n-1].to
		m.buf.Truncate(m.pieces[n-1].to)
	}
}

// cutKind is what a cut leaves behind the last whole record.
type cutKind uint8

const (
	cutText   cutKind = iota // a record
	cutRaw                   // a record, without looking for a line's ending
	cutSized                 // a partial record, which is refused
	cutClosed                // a partial record, also between records: the end is marked
)

// format is one framer and how data for it is made.
type format struct {
	frame string // as ReadOptions.Frame has it
	ext   string // by which it is chosen too
	cut   cutKind
	most  int // bytes of a record, 0: any
	make  func(*maker)
}

func (f *format) longest() int {
	if f.most > 0 {
		return f.most
	}
	return 1 << 30
}

var formats = []*format{
	{frame: "lines", ext: ".log", make: func(m *maker) {
		for m.mark(); m.more(); {
			body := fmt.Sprint(len(m.pieces), " ", m.text(m.length()))
			if m.now(30) {
				body = ""
			}
			m.record("", body, m.ending())
		}
		m.chop()
	}},
	{frame: "ndjson", ext: ".ndjson", make: func(m *maker) {
		for m.mark(); m.more(); {
			m.record(strings.Repeat("\n", max(0, m.r.IntN(12)-9)), m.object(), m.ending())
		}
		m.chop()
		if m.now(3) {
			m.buf.WriteString("\n\n")
		}
	}},
	{frame: "csv", ext: ".csv", make: func(m *maker) { m.rows(false) }},
	{frame: "csv:ragged=error", make: func(m *maker) { m.rows(true) }},
	{frame: "tsv", ext: ".tsv", make: func(m *maker) {
		for m.more() {
			m.record("", fmt.Sprintf("%d\t%s\t%d", len(m.pieces), m.text(m.length()), m.r.IntN(1000)), m.ending())
		}
		m.chop()
	}},
	{frame: "delim:00", cut: cutRaw, make: func(m *maker) {
		for m.more() {
			m.record("", fmt.Sprint(len(m.pieces), "\n", m.text(m.length())), "\x00")
		}
		m.chop()
	}},
	{frame: "delim:0d0a2d2d", cut: cutRaw, make: func(m *maker) {
		for m.more() {
			m.record("", fmt.Sprint(len(m.pieces), "\r\n-", m.text(m.length())), "\r\n--")
		}
		m.chop()
	}},
	{frame: "regexp:^[0-9]+ ", make: func(m *maker) {
		for m.mark(); m.more(); {
			body := fmt.Sprint(len(m.pieces), " ", m.text(m.length()))
			for m.now(3) {
				body += "\n\tat " + m.text(m.r.IntN(60))
			}
			m.record("", body, "\n")
		}
		m.chop()
	}},
	{frame: "whole", cut: cutRaw, make: func(m *maker) { m.record("", m.text(max(1, min(m.size, m.long))), "") }},
	{frame: "fixed:100", cut: cutSized, make: func(m *maker) {
		for m.more() {
			m.record("", fmt.Sprintf("%-9d %s", len(m.pieces), m.text(90)), "")
		}
	}},
	{frame: "u16be", cut: cutSized, most: 65000, make: prefixed(func(n int) []byte { return binary.BigEndian.AppendUint16(nil, uint16(n)) })},
	{frame: "u32le", cut: cutSized, make: prefixed(func(n int) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(n)) })},
	{frame: "u64be", cut: cutSized, make: prefixed(func(n int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) })},
	{frame: "varint", cut: cutSized, make: prefixed(func(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) })},
	{frame: "recordio", ext: ".rec", cut: cutSized, make: makeRecordIO},
	{frame: "tfrecord", ext: ".tfrecord", cut: cutSized, make: makeTFRecord},
	{frame: "json", ext: ".json", cut: cutSized, make: makeJSON},
	{frame: "json-array", cut: cutClosed, make: makeJSONArray},
	{frame: "tar", ext: ".tar", cut: cutClosed, make: makeTar},
	{frame: "warc", ext: ".warc", cut: cutSized, make: makeWARC},
}

// object is a JSON object on one line.
func (m *maker) object() string {
	return fmt.Sprintf(`{"id":%d,"m":[%q,"}]",{"x":"\"\\"}]}`, len(m.pieces), m.text(m.length()))
}

// rows writes CSV. Rows of another number of fields are bad if ragged.
func (m *maker) rows(ragged bool) {
	m.mark()
	m.record("", "id,text,n", "\n")
	for m.more() {
		if ragged && m.spoil() {
			m.bad(fmt.Sprintf("%d,\"a\nb\"\n", len(m.pieces)), false)
			continue
		}
		text := m.text(m.length())
		if m.now(4) {
			text = `"` + strings.ReplaceAll(strings.ReplaceAll(text, " ", "\n"), "e", `""`) + `"`
		}
		m.record("", fmt.Sprintf("%d,%s,%d", len(m.pieces), text, m.r.IntN(1000)), m.ending())
	}
	m.chop()
}

// prefixed writes records with their length in front.
func prefixed(length func(int) []byte) func(*maker) {
	return func(m *maker) {
		for m.more() {
			body := fmt.Sprint(len(m.pieces), " ", m.text(m.length()))
			if m.now(40) {
				body = ""
			}
			m.record(string(length(len(body))), body, "")
		}
	}
}
