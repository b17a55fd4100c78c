package frametest_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/frame/frametest"
)

// scan makes a framer of a Scan function.
type scan func(slab []byte, eof bool, ends []uint32) ([]uint32, error)

func (s scan) Scan(slab []byte, eof bool, ends []uint32) ([]uint32, error) {
	return s(slab, eof, ends)
}

func (s scan) State() []byte { return nil }

func (s scan) framer() frame.Framer {
	return frame.Framer{Name: "broken", New: func(*frame.Options) (frame.Scanner, error) { return s, nil }}
}

func TestSplitFindsBreaches(t *testing.T) {
	t.Parallel()
	good := func(slab []byte, eof bool, ends []uint32) ([]uint32, error) {
		if eof {
			ends = append(ends, uint32(len(slab)))
		}
		return ends, nil
	}
	outside := scan(good).framer()
	outside.Body = func(raw []byte, _ int64) []byte { return bytes.Clone(raw) }
	for _, c := range []struct {
		name   string
		framer frame.Framer
	}{
		{"an end that does not ascend", scan(func(slab []byte, _ bool, ends []uint32) ([]uint32, error) {
			return append(ends, 2, 2), nil
		}).framer()},
		{"an end of nothing", scan(func(slab []byte, _ bool, ends []uint32) ([]uint32, error) {
			return append(ends, 0), nil
		}).framer()},
		{"an end outside the slab", scan(func(slab []byte, _ bool, ends []uint32) ([]uint32, error) {
			return append(ends, uint32(len(slab)+1)), nil
		}).framer()},
		{"ends that are not appended", scan(func(slab []byte, _ bool, ends []uint32) ([]uint32, error) {
			return []uint32{uint32(len(slab))}, nil
		}).framer()},
		{"an error of another type", scan(func(_ []byte, _ bool, ends []uint32) ([]uint32, error) {
			return ends, io.ErrUnexpectedEOF
		}).framer()},
		{"a body that is a copy", outside},
	} {
		if _, err := frametest.Split(c.framer, []byte("abcd"), 0, 0); !errors.Is(err, frametest.ErrContract) {
			t.Errorf("%s: got %v, want %v", c.name, err, frametest.ErrContract)
		}
	}
	if _, err := frametest.Split(scan(good).framer(), []byte("abcd"), 0, 0); err != nil {
		t.Errorf("a good framer: got %v, want none", err)
	}
}

// TestSplitPoisons holds that a slab kept by a Scanner does not stay as it was.
func TestSplitPoisons(t *testing.T) {
	t.Parallel()
	var first []byte
	keeper := scan(func(slab []byte, eof bool, ends []uint32) ([]uint32, error) {
		if first == nil {
			first = slab
		}
		if eof {
			ends = append(ends, uint32(len(slab)))
		}
		return ends, nil
	})
	if _, err := frametest.Split(keeper.framer(), []byte("abcdefgh"), 0, 4); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(first, []byte("a")) {
		t.Errorf("kept slab: got %q, want none of the data", first)
	}
}

func TestDriverLimit(t *testing.T) {
	t.Parallel()
	f, err := frame.Default().Lookup("lines")
	if err != nil {
		t.Fatal(err)
	}
	data := []byte("ok\ntoo long\nok\ntoo long")
	d := &frametest.Driver{Framer: f, Options: &frame.Options{MaxRecord: 5}}
	for _, slab := range []int{0, 1, 4} {
		d.Slab, d.Skip = slab, false
		records, _, err := d.Split(data)
		if e, ok := errors.AsType[*frame.Error](err); !ok || !errors.Is(err, frame.ErrTooLong) || e.Offset != 5 || len(records) != 1 {
			t.Errorf("slab %d: got %d records, %v, want 1 and %v", slab, len(records), err, frame.ErrTooLong)
		}
		d.Skip = true
		if records, skipped, err := d.Split(data); err != nil || skipped != 2 || len(records) != 2 {
			t.Errorf("slab %d, skipping: got %d records, %d skipped, %v, want 2 and 2", slab, len(records), skipped, err)
		}
	}
}
