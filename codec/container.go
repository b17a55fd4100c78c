package codec

import (
	"bytes"
	"slices"
	"strings"

	"github.com/thaw-go/thaw/internal/limits"
)

// container is a format that holds records in a way that no framer cuts: pages, blocks or
// members with an index. No codec encodes its data, so that it is returned as bytes, but
// lines of it would be garbage.
type container struct {
	name       string
	extensions []string
	magics     []string

	// sure reports, from what follows the magic, whether it is no text that happens to
	// begin so. Nil: the magic is enough.
	sure func(rest []byte) bool
}

var containers = []container{
	{name: "parquet", extensions: []string{".parquet", ".parq", ".pq"}, magics: []string{"PAR1", "PARE"}, sure: noText},
	{name: "avro", extensions: []string{".avro"}, magics: []string{"Obj\x01"}, sure: avroMetadata},
	{name: "orc", extensions: []string{".orc"}, magics: []string{"ORC"}, sure: noText},
	{name: "zip", extensions: []string{".zip"}, magics: []string{"PK\x03\x04", "PK\x05\x06", "PK\x07\x08"}, sure: zipFields},
	{name: "7z", extensions: []string{".7z"}, magics: []string{"7z\xbc\xaf\x27\x1c"}},
	{name: "rar", extensions: []string{".rar"}, magics: []string{"Rar!\x1a\x07\x00", "Rar!\x1a\x07\x01\x00"}},
	{name: "sqlite", magics: []string{"SQLite format 3\x00"}},
	{name: "arrow", magics: []string{"ARROW1\x00\x00"}},
	{name: "hdf5", magics: []string{"\x89HDF\r\n\x1a\n"}},
	{name: "sequence-file", magics: []string{"SEQ\x04", "SEQ\x05", "SEQ\x06"}, sure: className},
}

// examined is how many decoded bytes decide what Examine reports.
const examined = 512

// Examine looks at the first decoded bytes of an object and adds to d what they show: the
// Container, and a note if they begin like compressed data that no hint mentions. head holds
// these bytes, of which the first 4096 count; final says that head is all of the data. If
// Examine returns true, it needs more bytes and has not changed d: call it again with the same
// bytes and those that follow.
func (r *Registry) Examine(d *Detection, head []byte, final bool) (more bool) {
	head = head[:min(len(head), limits.Head)]
	final = final || len(head) >= examined
	if len(head) == 0 {
		return !final
	}
	if !d.Plain() {
		yes, some := r.byMagic(head, final)
		switch {
		case yes != "" && yes != None:
			d.Notes = append(d.Notes, r.again(d, yes))
			return false
		case len(some) > 0 && !final:
			return true
		}
	}
	for _, c := range containers {
		switch c.match(head, final, d.Extension) {
		case Matched:
			d.Container = c.name
			return false
		case NeedMore:
			more = true
		}
	}
	return more
}

// again is the note about a layer that nothing asked for.
func (r *Registry) again(d *Detection, name string) string {
	layers := append(d.layers(), name)
	note := "the decoded data begins like " + name + " once more"
	if _, ok := r.find(name); !ok || len(layers) > limits.Layers {
		return note
	}
	return note + `; codec "` + strings.Join(layers, ",") + `" decodes that too`
}

func (c *container) match(head []byte, final bool, extension string) Match {
	for _, magic := range c.magics {
		switch prefix(head, magic) {
		case Matched:
			switch {
			case c.sure == nil || slices.Contains(c.extensions, extension):
				return Matched
			case !final:
				return NeedMore
			case c.sure(head[len(magic):]) && !tarHeader(head):
				return Matched
			}
		case NeedMore:
			if !final {
				return NeedMore
			}
		}
	}
	return NoMatch
}

// tarHeader reports whether head begins with a header of tar, which begins with a name:
// its checksum is right.
func tarHeader(head []byte) bool {
	const size, field, end = 512, 148, 156
	if len(head) < size {
		return false
	}
	sum, stated := int64(0), int64(0)
	for i, c := range head[:size] {
		switch {
		case i < field || i >= end:
			sum += int64(c)
		case c >= '0' && c <= '7':
			sum += ' '
			stated = stated<<3 | int64(c-'0')
		default:
			sum += ' '
		}
	}
	return sum == stated
}

// noText reports whether b has a byte that no text has, with the separators of Hive,
// 1 to 3, counted as text.
func noText(b []byte) bool {
	return bytes.ContainsFunc(b[:min(len(b), examined)], func(c rune) bool {
		return c == 0 || c > 3 && c < '\t' || c > '\r' && c < ' ' && c != 0x1b
	})
}

// avroMetadata looks for the names that the header of an Avro file must hold.
func avroMetadata(b []byte) bool {
	return bytes.Contains(b, []byte("avro.schema")) || bytes.Contains(b, []byte("avro.codec"))
}

// zipFields looks for the upper halves of small numbers in the first header.
func zipFields(b []byte) bool { return bytes.IndexByte(b[:min(len(b), 8)], 0) >= 0 }

// className reports whether b begins with the length and the name of a Java class,
// packages and all.
func className(b []byte) bool {
	if len(b) == 0 || b[0] < 3 || int(b[0]) >= len(b) || b[0] > 127 {
		return false
	}
	name := b[1 : 1+b[0]]
	for _, c := range name {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && c != '.' && c != '_' && c != '$' {
			return false
		}
	}
	return bytes.IndexByte(name, '.') > 0
}
