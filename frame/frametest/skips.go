package frametest

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/thaw-go/thaw/frame"
)

// resyncs says that the framer's Scanner is a Resyncer.
func resyncs(t *testing.T, f frame.Framer) bool {
	t.Helper()
	s, err := f.New(&frame.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, ok := s.(frame.Resyncer)
	return ok
}

// kinds are what an error is told apart by.
var kinds = []error{ErrContract, frame.ErrTooLong, frame.ErrRecord, frame.ErrUnsupported, frame.ErrNoResync, io.ErrUnexpectedEOF}

// kindOf names the kinds of an error.
func kindOf(err error) string {
	text := "no error"
	for _, kind := range kinds {
		if errors.Is(err, kind) {
			text += ", " + kind.Error()
		}
	}
	return text
}

// limits holds that what is made of records does not depend on sizes, under limits
// around that of the longest, and without one.
func limits(t *testing.T, f frame.Framer, data []byte) {
	longest := longestRaw(f, data)
	for _, skip := range []bool{false, true} {
		if skip && !resyncs(t, f) {
			continue
		}
		for _, limit := range []int{0, 1, longest / 2, longest - 1, longest, longest + 1} {
			if limit < 0 {
				continue
			}
			want := ""
			for _, size := range [][2]int{{0, 0}, {1, 1}, {3, 7}, {64, 0}, {4096, 1024}, {128 << 10, 0}} {
				if !affordable(min(longest, limit+maxKept), len(data), size[0], size[1]) {
					continue
				}
				d := &Driver{Framer: f, Options: &frame.Options{MaxRecord: limit}, Slab: size[0], Chunk: size[1], Skip: skip}
				records, skipped, err := d.Split(data)
				got := fmt.Sprintf("%d records, %d left out, %s", len(records), skipped, kindOf(err))
				if errors.Is(err, ErrContract) {
					t.Errorf("limit %d, slab %d, chunk %d, skipping %v: %v", limit, size[0], size[1], skip, err)
				}
				for _, r := range records {
					got += fmt.Sprintf("; %d bytes at %d", r.Raw, r.Offset)
				}
				if want == "" {
					want = got
				} else if got != want {
					t.Errorf("limit %d, slab %d, chunk %d, skipping %v: got %.300s, want %.300s, as in one slab", limit, size[0], size[1], skip, got, want)
				}
			}
		}
	}
}

// bad puts each bad record to up to 8 places.
func bad(t *testing.T, f frame.Framer, c Case, data []byte) {
	if len(c.Bad) > 0 && !resyncs(t, f) {
		t.Fatal("bad records, and no Resync")
	}
	records, cause := Split(f, data, 0, 0)
	places := []int{0}
	for _, r := range records {
		places = append(places, int(r.Offset)+r.Raw)
	}
	for _, raw := range c.Bad {
		for i := 0; i < len(places); i += 1 + len(places)/8 {
			in := append(append(append([]byte(nil), data[:places[i]]...), raw...), data[places[i]:]...)
			for _, size := range [][2]int{{0, 0}, {1, 1}, {64, 7}, {4096, 0}} {
				if !affordable(longestRaw(f, in), len(in), size[0], size[1]) {
					continue
				}
				d := &Driver{Framer: f, Slab: size[0], Chunk: size[1], Skip: true}
				got, skipped, err := d.Split(in)
				left := 1
				if cause != nil {
					left = 2
				}
				if len(got) != len(records) || skipped != left || err != nil {
					t.Errorf("%s before record %d, slab %d, chunk %d: got %d records, %d left out, %v, want %d and %d", brief([]byte(raw)), i, size[0], size[1], len(got), skipped, err, len(records), left)
					continue
				}
				for j, r := range got {
					if string(r.Data) != string(records[j].Data) {
						t.Errorf("%s before record %d, slab %d, chunk %d: record %d: got %s, want %s", brief([]byte(raw)), i, size[0], size[1], j, brief(r.Data), brief(records[j].Data))
					}
				}
			}
		}
	}
}
