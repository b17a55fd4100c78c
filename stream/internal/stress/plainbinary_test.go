package stress_test

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
)

func makeRecordIO(m *maker) {
	part := func(kind uint32, body string) string {
		b := binary.LittleEndian.AppendUint32(nil, 0xced7230a)
		b = binary.LittleEndian.AppendUint32(b, kind<<29|uint32(len(body)))
		return string(b) + body + strings.Repeat("\x00", -len(body)&3)
	}
	for m.more() {
		body := fmt.Sprint(len(m.pieces), " ", m.text(m.length()))
		switch {
		case m.spoil() && m.now(2):
			m.bad(part(1, body)+part(3, body), false) // a record in two parts
		case m.spoil():
			m.bad("garbage!"+strings.Repeat("garb", m.r.IntN(200)), false)
		default:
			raw := part(0, body)
			m.record(raw[:8], body, raw[8+len(body):])
		}
	}
}

func makeTFRecord(m *maker) {
	sum := func(b []byte) []byte {
		c := crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
		return binary.LittleEndian.AppendUint32(nil, (c>>15|c<<17)+0xa282ead8)
	}
	for m.more() {
		body := fmt.Sprint(len(m.pieces), " ", m.text(m.length()))
		length := binary.LittleEndian.AppendUint64(nil, uint64(len(body)))
		switch {
		case m.spoil() && m.now(4):
			m.bad(string(length)+"lies"+body+string(sum([]byte(body))), true)
		case m.spoil():
			m.bad(string(length)+string(sum(length))+body+"lies", false)
		default:
			m.record(string(length)+string(sum(length)), body, string(sum([]byte(body))))
		}
	}
}

// makeJSON writes texts on lines, of which a bad one is left out alone, or two on
// one line, with nothing to be found behind a bad one.
func makeJSON(m *maker) {
	m.mark()
	lines := m.now(2)
	for m.more() {
		n := len(m.pieces)
		between := []string{"", " ", "\n", "\n\n"}[m.r.IntN(4)]
		switch {
		case n == 0 || lines && m.pieces[n-1].bad:
			between = ""
		case lines:
			between = "\n"
		case n == 1:
			between = " "
		}
		switch {
		case n > 1 && lines && m.spoil():
			m.bad(between+`{"a":[1,}]}`+"\n", false)
		case n > 1 && !lines && m.now(3) && m.spoil():
			m.bad(`{"a":[1,}]} `, true)
		default:
			m.record(between, m.object(), "")
		}
	}
	m.buf.WriteString("\n")
}

func makeJSONArray(m *maker) {
	m.mark()
	m.buf.WriteString(" [")
	comma := ""
	for m.more() {
		if m.spoil() && m.now(3) {
			m.bad(comma+`{"a":nul}`, true)
		} else {
			m.record(comma, m.object(), "")
		}
		comma = []string{",", ", ", "\n,\n"}[m.r.IntN(3)]
	}
	m.buf.WriteString("]\n")
}

func makeTar(m *maker) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	taken := func() string { // what the writer wrote since
		w.Flush()
		s := b.String()
		b.Reset()
		return s
	}
	for m.more() {
		body := m.text(m.length())
		if m.now(20) {
			body = ""
		}
		if m.now(15) {
			w.WriteHeader(&tar.Header{Name: fmt.Sprintf("dir%d/", len(m.pieces)), Typeflag: tar.TypeDir, Mode: 0o755})
		}
		name := fmt.Sprintf("d/%d", len(m.pieces))
		if m.now(12) {
			name = strings.Repeat("long/", 60) + name
		}
		before := taken()
		w.WriteHeader(&tar.Header{Name: name, Size: int64(len(body)), Typeflag: tar.TypeReg, Mode: 0o644})
		header := taken()
		w.Write([]byte(body))
		data := taken()
		if m.spoil() && len(header) == 512 {
			// The members without data before it go with it.
			m.bad(before+"bad checksum"+header[len("bad checksum"):]+data, false)
			continue
		}
		m.record(before+header, body, data[len(body):])
	}
	w.Close()
	m.buf.Write(b.Bytes())
}

func makeWARC(m *maker) {
	for m.more() {
		body := fmt.Sprint(len(m.pieces), " ", m.text(m.length()))
		if m.spoil() {
			m.bad("WARC/1.0\r\nWARC-Type: resource\r\n\r\n"+body+"\r\n\r\n", false)
			continue
		}
		head := fmt.Sprintf("WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: %d\r\n\r\n", len(body))
		blank := max(0, m.r.IntN(10)-8)
		if n := len(m.pieces); n > 0 && m.pieces[n-1].bad {
			blank = 0 // it would go with the bad one
		}
		m.record(strings.Repeat("\r\n", blank), head+body, "\r\n\r\n")
	}
}
