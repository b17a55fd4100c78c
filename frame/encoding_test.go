package frame_test

import (
	"encoding/binary"
	"errors"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/frame/frametest"
)

// wide is text in units of size bytes.
func wide(order binary.AppendByteOrder, size int, text string) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		if size == 4 {
			b = order.AppendUint32(b, uint32(unit))
		} else {
			b = order.AppendUint16(b, unit)
		}
	}
	return string(b)
}

// isForeign is what framers of text refuse, written for clarity.
func isForeign(data string) bool {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff", "\x00\x00\xfe\xff"} {
		if strings.HasPrefix(data, mark) {
			return true
		}
	}
	const letter = `[ -~\t\r\n]`
	return regexp.MustCompile(`^((` + letter + `\x00){4}|(\x00` + letter + `){4})`).MatchString(data)
}

// TestForeignText holds that text whose line feed is no byte is refused by name,
// however the slabs lie, by framers of text and by no other.
func TestForeignText(t *testing.T) {
	t.Parallel()
	const rows = "a,b\n1,2\n"
	be, le := binary.BigEndian, binary.LittleEndian
	texts := []struct {
		name, in string
		foreign  bool
	}{
		{"UTF-16, little endian", wide(le, 2, "\ufeff"+rows), true},
		{"UTF-16, big endian", wide(be, 2, "\ufeff"+rows), true},
		{"UTF-32, little endian", wide(le, 4, "\ufeff"+rows), true},
		{"UTF-32, big endian", wide(be, 4, "\ufeff"+rows), true},
		{"UTF-16, of no Latin letter", wide(le, 2, "\ufeff表\n表\n"), true},
		{"UTF-16, the mark alone", "\xff\xfe", true},
		{"UTF-32, the mark alone", "\x00\x00\xfe\xff", true},
		{"UTF-16 without a mark", wide(le, 2, rows), true},
		{"UTF-16 without a mark, big endian", wide(be, 2, rows), true},
		{"UTF-16 without a mark, four letters", wide(le, 2, "\t1\n2"), true},
		{"UTF-16 without a mark, too short to tell", wide(le, 2, "a\nb"), false},
		{"UTF-8 with a mark", "\ufeff" + rows, false},
		{"half a mark", "\xff", false},
		{"Latin-1", "\xff\xfc\n", false},
		{"zeros between few bytes", "a\x00b\x00c\x00\xff\x00\n", false},
		{"zeros", strings.Repeat("\x00", 100) + "\n", false},
		{"zero first", "\x00a\n", false},
		{"mark of UTF-16 later", "abc\n\xff\xfea\x00", false},
	}
	for _, name := range []string{"lines", "ndjson", "csv", "tsv", "csv:header", "json", "json-array", `regexp:^\d`, "delim:0a", "whole", "fixed:2", "u16be", "tar", "warc"} {
		f, text := lookup(t, name), isText(name)
		if text {
			frametest.RefusesUTF16(t, f)
		}
		for _, c := range texts {
			for _, size := range [][2]int{{1, 1}, {3, 0}, {64, 2}, {0, 0}} {
				d := &frametest.Driver{Framer: f, Slab: size[0], Chunk: size[1]}
				records, _, err := d.Split([]byte(c.in))
				if got := errors.Is(err, frame.ErrUnsupported); got != (c.foreign && text) || got && (len(records) > 0 || !errors.Is(err, frame.ErrNoResync)) {
					t.Errorf("%s, %s, slab %d: got %d records, %v, want none and %v: %v", name, c.name, size[0], len(records), err, frame.ErrUnsupported, c.foreign && text)
				}
			}
		}
	}
}

// isText reports whether the built-in framer of a name cuts text.
func isText(name string) bool {
	kind, _, _ := strings.Cut(name, ":")
	switch kind {
	case "lines", "ndjson", "csv", "tsv", "json", "json-array", "regexp":
		return true
	}
	return false
}
