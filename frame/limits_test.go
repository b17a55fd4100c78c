package frame_test

import (
	"errors"
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
