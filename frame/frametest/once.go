package frametest

import (
	"bytes"
	"errors"
	"testing"

	"github.com/thaw-go/thaw/frame"
)

// longRecord is from how many bytes on a record must not be looked through twice.
const longRecord = 4 * maxKept

// once passes a Scanner more and more of a long record. What was passed before is
// overwritten, but for the first and the last 64 KiB of it: a Scanner that looks
// through all of it whenever bytes come finds ends or faults that are none.
func once(t *testing.T, f frame.Framer, c Case, data []byte) {
	records, _ := Split(f, data, 0, 0)
	size := len(data)
	if len(records) > 0 {
		size = records[0].Raw
	}
	if size < longRecord || c.Rescans {
		t.Skip("no long record at the start")
	}
	for _, with := range overwrites(data[:size]) {
		s, err := f.New(&frame.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for before, part := 0, 1; part < 8; part++ {
			given := bytes.Clone(data[:size/8*part])
			for i := maxKept; i < before-maxKept; i++ {
				given[i] = with
			}
			if ends, err := s.Scan(given, false, nil); len(ends) > 0 || err != nil {
				t.Errorf("bytes from before overwritten with %q: got ends %v, %v after %d bytes of %d, want none", with, ends, err, len(given), size)
				break
			}
			before = len(given)
		}
		if t.Failed() {
			return
		}
		if ends, err := s.Scan(data, true, nil); len(records) > 0 && (len(ends) == 0 || int(ends[0]) != size) || len(records) == 0 && err == nil && len(ends) > 0 {
			t.Errorf("at the end: got %d ends, %v, want the first at %d", len(ends), err, size)
		}
	}
}

// overwrites are bytes that mean something to framers, this one included: those
// that its record begins and ends with.
func overwrites(record []byte) []byte {
	known := []byte("\n\r\"\\{}[],:;|\t\x00\x01\xff 0a")
	for _, c := range append(bytes.Clone(record[:16]), record[len(record)-16:]...) {
		if bytes.IndexByte(known, c) < 0 {
			known = append(known, c)
		}
	}
	return known
}

// RefusesUTF16 tests that f refuses objects in UTF-16 and UTF-32, as framers made by
// [frame.RefuseUTF16] do: it finds no record in them, its error wraps
// [frame.ErrUnsupported] and [frame.ErrNoResync], and Resync leaves out the object.
func RefusesUTF16(t *testing.T, f frame.Framer) {
	t.Helper()
	for _, in := range []string{
		"\xff\xfea\x00\n\x00", "\xfe\xff\x00a\x00\n",
		"\xff\xfe\x00\x00a\x00\x00\x00\n\x00\x00\x00", "\x00\x00\xfe\xff\x00\x00\x00a\x00\x00\x00\n",
	} {
		for _, chunk := range []int{0, 1, 2, 3} {
			records, err := Split(f, []byte(in), 0, chunk)
			if len(records) > 0 || !errors.Is(err, frame.ErrUnsupported) || !errors.Is(err, frame.ErrNoResync) {
				t.Errorf("%q, chunk %d: got %d records, %v, want %v and %v", in, chunk, len(records), err, frame.ErrUnsupported, frame.ErrNoResync)
			}
			if !resyncs(t, f) {
				continue
			}
			if n, err := leaveOut(f, border{}, []byte(in), chunk); err != nil || n != int64(len(in)) {
				t.Errorf("%q, chunk %d: Resync left out %d bytes, %v, want all %d", in, chunk, n, err, len(in))
			}
		}
	}
}
