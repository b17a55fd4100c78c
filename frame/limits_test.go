package frame_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/frame/frametest"
)

// TestLongRecords gives records around a limit, in slabs of the usual size.
func TestLongRecords(t *testing.T) {
	t.Parallel()
	const limit = 1 << 20
	fit, over := strings.Repeat("x", limit-1), strings.Repeat("x", limit+300<<10)
	for _, c := range []struct {
		name, in string
		want     []int // bytes of the records, -1 for one that is left out
	}{
		{"lines", "a\n" + fit + "\n" + over + "\nb\n", []int{1, limit - 1, -1, 1}},
		{"lines", over, []int{-1}},
		{"ndjson", "1\n\n" + over + "\n\n2\n", []int{1, -1, 1}},
		{"delim:0a", over + "\nb", []int{-1, 1}},
		{"csv", "a\n\"" + strings.ReplaceAll(over, "xxxx", "x\n\"\"") + "\"\nb\n", []int{1, -1, 1}},
		{"json", `1 {"a":"` + over + `"} 2`, []int{1, -1, 1}},
		{"json", `["` + fit[2:] + "\"]3", []int{-1, 1}},
		{"json-array", `[1,{"a":"` + over + `"},2]`, []int{1, -1, 1}},
		{`regexp:^\d`, "1\n2\n" + over + "\n3", []int{1, -1, 1}},
		{"u32be", writers["u32be"](over) + writers["u32be"]("a"), []int{-1, 1}},
		{"varint", writers["varint"](over) + writers["varint"]("a"), []int{-1, 1}},
		{"recordio", writers["recordio"](over) + writers["recordio"]("a"), []int{-1, 1}},
		{"tfrecord", writers["tfrecord"](over) + writers["tfrecord"]("a"), []int{-1, 1}},
		{"warc", warcRecord(over) + "\r\n\r\n" + warcRecord("") + "\r\n\r\n", []int{-1, len(warcRecord(""))}},
		{"whole", over, []int{-1}},
	} {
		d := &frametest.Driver{Framer: lookup(t, c.name), Options: &frame.Options{MaxRecord: limit}, Slab: 256 << 10}
		_, _, err := d.Split([]byte(c.in))
		if !errors.Is(err, frame.ErrTooLong) {
			t.Errorf("%s: got %v, want %v", c.name, err, frame.ErrTooLong)
		}
		d.Skip = true
		records, skipped, err := d.Split([]byte(c.in))
		var want []int
		left := 0
		for _, n := range c.want {
			if n < 0 {
				left++
			} else {
				want = append(want, n)
			}
		}
		var got []int
		for _, r := range records {
			got = append(got, len(r.Data))
		}
		if err != nil || skipped != left || len(got) != len(want) {
			t.Errorf("%s: got records of %v bytes, %d skipped, %v, want %v and %d", c.name, got, skipped, err, want, left)
			continue
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s, record %d: got %d bytes, want %d", c.name, i, got[i], want[i])
			}
		}
	}
}

// TestNotLookedAtTwice changes bytes that a Scanner has seen before it is given
// them again. One that goes over them anew, at a cost that grows with the square
// of a record's size, finds the change.
func TestNotLookedAtTwice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, first, again string }{
		{"lines", "aaaa", "\naaab\n"},
		{"ndjson", "aaaa", "a\naab\n"},
		{"delim:0a0a", "aaaaaa", "a\n\naaab\n\n"},
		{"csv", "aaaa", "\n\"aab\n"},
		{"csv", "\"aaa", "\"\"\na\"\n"},
		{"json", `{"a":"aaa`, `{}}}}}}}` + `a"}`},
		{"json-array", `[{"a":"aaa`, `[{}}}}}}}` + `a"}`},
		{"regexp:^x", "aaaa\nbbbb", "x\nx\n\nbbbb\nx\n"},
	} {
		s, err := lookup(t, c.name).New(&frame.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if ends, err := s.Scan([]byte(c.first), false, nil); err != nil || len(ends) != 0 {
			t.Errorf("%s: got %d ends, %v, want none", c.name, len(ends), err)
		}
		if ends, err := s.Scan([]byte(c.again), false, nil); err != nil || len(ends) != 1 {
			t.Errorf("%s, again: got ends %v, %v, want one", c.name, ends, err)
		}
	}
}

// TestHostileCostsLittle gives a Scanner what lies or never ends: it allocates
// nothing by what it is told, and says what is wrong at once.
func TestHostileCostsLittle(t *testing.T) {
	const most = 64 << 10 // bytes, errors and the Scanner's own state included
	for _, c := range []struct {
		name, framer, in string
		records          int
		err              error
		lost             bool
	}{
		{"prefix of 4 GiB before 3 bytes", "u32be", writers["u32be"]("a") + "\xff\xff\xff\xffabc", 1, frame.ErrTooLong, false},
		{"negative length", "varint", "\x01a" + strings.Repeat("\xff", 9) + "\x01", 1, frame.ErrRecord, true},
		{"endless length", "varint", "\x01a" + strings.Repeat("\x80", 1000), 1, frame.ErrRecord, true},
		{"100,000 open arrays", "json", "1 " + strings.Repeat("[", 100_000), 1, frame.ErrRecord, true},
		{"100,000 open objects", "json", "1 " + strings.Repeat(`{"a":`, 100_000), 1, frame.ErrRecord, true},
		{"100,000 open arrays in one", "json-array", "[1," + strings.Repeat("[", 100_000), 1, frame.ErrRecord, true},
		{"field of 200 KiB of line feeds", "csv", "a\n\"" + strings.Repeat("\n", 200<<10), 1, nil, false},
		{"field of 200 KiB of doubled quotes", "csv", "a\n\"" + strings.Repeat("\"\"\n", 70<<10), 1, nil, false},
		{"checksum of a length that lies", "tfrecord", writers["tfrecord"]("a") + strings.Repeat("\xff", 20), 1, frame.ErrRecord, true},
	} {
		f, data, ends := lookup(t, c.framer), []byte(c.in), make([]uint32, 0, 1000)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, err := f.New(&frame.Options{MaxRecord: 16 << 20})
		if err != nil {
			t.Fatal(err)
		}
		ends, err = s.Scan(data, false, ends)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > most {
			t.Errorf("%s: got %d bytes allocated, want at most %d", c.name, n, most)
		}
		if len(ends) != c.records || !errors.Is(err, c.err) || errors.Is(err, frame.ErrNoResync) != c.lost {
			t.Errorf("%s: got %d records, %v, want %d, %v, ErrNoResync: %v", c.name, len(ends), err, c.records, c.err, c.lost)
		}
	}
}
