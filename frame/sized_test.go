package frame_test

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/frame/frametest"
)

// writers make one record of a binary format.
var writers = map[string]func(data string) string{
	"u16be": func(s string) string { return string(binary.BigEndian.AppendUint16(nil, uint16(len(s)))) + s },
	"u16le": func(s string) string { return string(binary.LittleEndian.AppendUint16(nil, uint16(len(s)))) + s },
	"u32be": func(s string) string { return string(binary.BigEndian.AppendUint32(nil, uint32(len(s)))) + s },
	"u32le": func(s string) string { return string(binary.LittleEndian.AppendUint32(nil, uint32(len(s)))) + s },
	"u64be": func(s string) string { return string(binary.BigEndian.AppendUint64(nil, uint64(len(s)))) + s },
	"u64le": func(s string) string { return string(binary.LittleEndian.AppendUint64(nil, uint64(len(s)))) + s },
	"varint": func(s string) string {
		return string(binary.AppendUvarint(nil, uint64(len(s)))) + s
	},
	"tfrecord": func(s string) string {
		length := binary.LittleEndian.AppendUint64(nil, uint64(len(s)))
		head := binary.LittleEndian.AppendUint32(length, maskedCRC(string(length)))
		return string(head) + s + string(binary.LittleEndian.AppendUint32(nil, maskedCRC(s)))
	},
	"recordio": func(s string) string { return recordPart(0, s) },
}

// maskedCRC is TensorFlow's checksum.
func maskedCRC(s string) uint32 {
	crc := crc32.Checksum([]byte(s), crc32.MakeTable(crc32.Castagnoli))
	return (crc>>15 | crc<<17) + 0xa282ead8
}

// recordPart is one part of a RecordIO record.
func recordPart(part int, s string) string {
	b := binary.LittleEndian.AppendUint32(nil, 0xced7230a)
	b = binary.LittleEndian.AppendUint32(b, uint32(part)<<29|uint32(len(s)))
	return string(b) + s + strings.Repeat("\x00", -len(s)&3)
}

func TestSized(t *testing.T) {
	t.Parallel()
	for name, write := range writers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one, empty, long := write("one"), write(""), write(strings.Repeat("long", 1000))
			frametest.Run(t, lookup(t, name), []frametest.Case{
				{Name: "empty", In: ""},
				{Name: "records", In: one + empty + one, Want: []string{"one", "", "one"}},
				{Name: "over a slab", In: one + long + one, Want: []string{"one", strings.Repeat("long", 1000), "one"}},
				{Name: "cut in its data", In: one + long[:len(long)-5], Want: []string{"one"}, Err: io.ErrUnexpectedEOF},
				{Name: "cut behind its header", In: one + long[:len(long)-4000], Want: []string{"one"}, Err: io.ErrUnexpectedEOF},
				{Name: "cut in its header", In: one + long[:1], Want: []string{"one"}, Err: io.ErrUnexpectedEOF},
			})
		})
	}
	frametest.Run(t, lookup(t, "fixed:3"), []frametest.Case{
		{Name: "empty", In: ""},
		{Name: "records", In: "abc\n\r\x00", Want: []string{"abc", "\n\r\x00"}},
		{Name: "cut", In: "abcde", Want: []string{"abc"}, Err: io.ErrUnexpectedEOF},
	})
	frametest.Run(t, lookup(t, "varint"), []frametest.Case{
		{Name: "two bytes", In: writers["varint"](strings.Repeat("x", 300)) + "\x01y", Want: []string{strings.Repeat("x", 300), "y"}},
		{Name: "longer than needed", In: "\x81\x80\x00x\x01y", Want: []string{"x", "y"}},
		{Name: "endless", In: "\x01x" + strings.Repeat("\x80", 100), Want: []string{"x"}, Err: frame.ErrNoResync},
		{Name: "11 bytes", In: "\x01x" + strings.Repeat("\x80", 10) + "\x01", Want: []string{"x"}, Err: frame.ErrNoResync},
		{Name: "over 64 bits", In: strings.Repeat("\xff", 9) + "\x02", Err: frame.ErrNoResync},
		{Name: "negative", In: strings.Repeat("\xff", 9) + "\x01", Err: frame.ErrRecord},
		{Name: "cut in its length", In: "\x01x\x80", Want: []string{"x"}, Err: io.ErrUnexpectedEOF},
	})
	one := writers["tfrecord"]("one")
	frametest.Run(t, lookup(t, "tfrecord"), []frametest.Case{
		{Name: "bad checksum of the length", In: one + strings.Replace(one, "\x03", "\x04", 1), Want: []string{"one"}, Err: frame.ErrNoResync},
		{Name: "bad checksum of the data", In: one + strings.Replace(one, "one", "oNe", 1), Want: []string{"one"}, Err: frame.ErrRecord},
	})
	one = writers["recordio"]("one")
	frametest.Run(t, lookup(t, "recordio"), []frametest.Case{
		{Name: "bad magic number", In: one + "\n\n" + one, Want: []string{"one"}, Err: frame.ErrRecord},
		{Name: "in parts", In: one + recordPart(1, "a") + recordPart(3, "b"), Want: []string{"one"}, Err: frame.ErrRecord},
		{Name: "padding cut", In: one[:len(one)-1], Err: io.ErrUnexpectedEOF},
	})
}

// TestSizedAtEdges holds every framer of records whose header says how long they
// are to records at every place around a slab's edge.
func TestSizedAtEdges(t *testing.T) {
	t.Parallel()
	for name := range writers {
		checkWritten(t, name)
	}
}

// TestLengthThatLies gives a length of far more than there is.
func TestLengthThatLies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, length string }{
		{"u32be", "\xff\xff\xff\xff"},
		{"u32le", "\xff\xff\xff\xff"},
		{"u64be", "\x7f\xff\xff\xff\xff\xff\xff\xff"},
		{"u64le", "\xff\xff\xff\xff\xff\xff\xff\x7f"},
		{"u64be", "\xff\xff\xff\xff\xff\xff\xff\xff"},
		{"varint", "\xff\xff\xff\xff\x0f"},
		{"recordio", recordPart(0, "")[:4] + "\xff\xff\xff\x1f"},
		{"tfrecord", "\x00\x00\x00\x00\x01\x00\x00\x00" +
			string(binary.LittleEndian.AppendUint32(nil, maskedCRC("\x00\x00\x00\x00\x01\x00\x00\x00")))},
	} {
		f := lookup(t, c.name)
		for _, limit := range []int{0, 16 << 20} {
			s, err := f.New(&frame.Options{MaxRecord: limit})
			if err != nil {
				t.Fatal(err)
			}
			slab := []byte(c.length + "abc")
			if limit > 0 {
				if _, err = s.Scan(slab, false, nil); err == nil {
					t.Errorf("%s, length %q, before the end: got no error, want one", c.name, c.length)
				}
				continue
			}
			if _, err = s.Scan(slab, true, nil); err == nil {
				t.Errorf("%s, length %q, at the end: got no error, want one", c.name, c.length)
			}
		}
	}
}

// TestSizedSkips holds what is given after a record that is bad or too long.
func TestSizedSkips(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 600)
	for name, write := range writers {
		in := write("one") + write(long) + write("two")
		checkSkip(t, lookup(t, name), in, "one two", 1)
	}
	checkSkip(t, lookup(t, "fixed:600"), long+long+"a", "", 3)
	checkSkip(t, lookup(t, "varint"), "\x01x"+strings.Repeat("\xff", 11)+"\x01y", "x", 0)
	tf := writers["tfrecord"]
	checkSkip(t, lookup(t, "tfrecord"), tf("one")+strings.Replace(tf("two"), "two", "ton", 1)+tf("three"), "one three", 1)
	rio := writers["recordio"]
	in := rio("one") + recordPart(1, "a") + recordPart(2, "b") + recordPart(3, long) + rio("two")
	checkSkip(t, lookup(t, "recordio"), in, "one two", 1)
	checkSkip(t, lookup(t, "recordio"), rio("one")+"bad magic number"+recordPart(3, "part")+rio("two"), "one two", 1)
}

// checkSkip goes on after records that are bad or over 500 bytes.
func checkSkip(t *testing.T, f frame.Framer, in, want string, skips int) {
	t.Helper()
	for _, slab := range []int{1, 16, 100, 0} {
		for _, chunk := range []int{1, 7, 0} {
			d := &frametest.Driver{Framer: f, Options: &frame.Options{MaxRecord: 500}, Slab: slab, Chunk: chunk, Skip: true}
			records, skipped, err := d.Split([]byte(in))
			var got []string
			for _, r := range records {
				got = append(got, string(r.Data))
			}
			if strings.Join(got, " ") != want || skipped != skips || err != nil && !errors.Is(err, frame.ErrNoResync) {
				t.Errorf("%s, slab %d, chunk %d: got %q and %d skipped, %v, want %q and %d", f.Name, slab, chunk, got, skipped, err, want, skips)
			}
		}
	}
}

func TestFixedNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"fixed:", "fixed:0", "fixed:-1", "fixed:x", "fixed:4294967296"} {
		if f, err := frame.Default().Lookup(name); err == nil {
			t.Errorf("Lookup(%q): got %s, want an error", name, f.Name)
		}
	}
}

func FuzzU16BE(f *testing.F) { fuzz(f, lookup(f, "u16be"), nil, "\x00\x01a\x00\x00", "\xff\xff") }
func FuzzU16LE(f *testing.F) { fuzz(f, lookup(f, "u16le"), nil, "\x01\x00a\x00\x00", "\xff\xff") }
func FuzzU32BE(f *testing.F) {
	fuzz(f, lookup(f, "u32be"), nil, "\x00\x00\x00\x01a", "\x80\x00\x00\x00")
}
func FuzzU32LE(f *testing.F) {
	fuzz(f, lookup(f, "u32le"), nil, "\x01\x00\x00\x00a", "\x00\x00\x00\x80")
}
func FuzzU64BE(f *testing.F) {
	fuzz(f, lookup(f, "u64be"), nil, writers["u64be"]("a")+writers["u64be"](""))
}
func FuzzU64LE(f *testing.F) {
	fuzz(f, lookup(f, "u64le"), nil, writers["u64le"]("a")+writers["u64le"](""))
}
func FuzzVarint(f *testing.F) {
	fuzz(f, lookup(f, "varint"), nil, "\x01a\x00\x80\x00", "\xff\xff\xff\xff\xff",
		"\xff"+strings.Repeat("\x80", 8)+"\xff\xff\x00\x00\x80\x00") // what follows a lost place is none
}
func FuzzFixed(f *testing.F) { fuzz(f, lookup(f, "fixed:7"), referenceFixed(7), "1234567", "12345678") }
func FuzzTFRecord(f *testing.F) {
	fuzz(f, lookup(f, "tfrecord"), nil, writers["tfrecord"]("a")+writers["tfrecord"](""))
}
func FuzzRecordIO(f *testing.F) {
	fuzz(f, lookup(f, "recordio"), nil, recordPart(0, "a")+recordPart(1, "b")+recordPart(3, "cccc"))
}
