package frametest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/thaw-go/thaw/frame"
)

// Case is an object with the records that a framer must find in it.
type Case struct {
	Name string   // of the subtest
	In   string   // the object
	Want []string // the bodies of its records, in order

	// Err is matched by errors.Is against the error after the last record. Nil means
	// that In ends without an error.
	Err error

	// Bad are raw records that the framer must refuse and then resync after. Run
	// puts each before, between and after the records of In: it must cost no other
	// record.
	Bad []string

	// Rescans allows a Scanner to look at a long record from its start in each call,
	// as that of [frame.FromSplitFunc] does. Its cost grows with the square of a
	// record's size.
	Rescans bool
}

// maxWork bounds what one combination of sizes may move around, in bytes: tails
// are moved once a chunk.
const maxWork = 4 << 20

// Run tests that f keeps the contract of package frame, for each of cases in a subtest:
//
//   - The records are those of the case, whatever the sizes of slabs and chunks are.
//   - Ends ascend strictly, and no reference to a slab is kept.
//   - A Scanner with the State at a record's end finds the records after it.
//   - Body returns a part of its raw bytes, also for the first bytes of a record.
//   - Resync, if the Scanner has it, stops at the start of a record, at the same one
//     for chunks of any size.
//   - A bad record (Case.Bad), or one over a limit, is refused once, wherever it
//     stands, and costs no other record.
//   - A record of 256 KiB or more at the start of a case is looked at once while it
//     grows, but for its first and its last 64 KiB (see Case.Rescans).
func Run(t *testing.T, f frame.Framer, cases []Case) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			data := []byte(c.In)
			t.Run("chunks", func(t *testing.T) { chunks(t, f, c, data) })
			t.Run("state", func(t *testing.T) { state(t, f, data) })
			t.Run("resync", func(t *testing.T) { resync(t, f, data) })
			t.Run("limits", func(t *testing.T) { limits(t, f, data) })
			t.Run("bad", func(t *testing.T) { bad(t, f, c, data) })
			t.Run("cut", func(t *testing.T) { cut(t, f, data) })
			t.Run("once", func(t *testing.T) { once(t, f, c, data) })
		})
	}
}

func chunks(t *testing.T, f frame.Framer, c Case, data []byte) {
	longest := longestRaw(f, data)
	for _, slab := range []int{1, 2, 3, 5, 64, 4096, 0} {
		for _, chunk := range []int{1, 2, 3, 7, 4096, 0} {
			if !affordable(longest, len(data), slab, chunk) {
				continue
			}
			for _, late := range []bool{false, true} {
				d := &Driver{Framer: f, Slab: slab, Chunk: chunk, Late: late}
				records, _, err := d.Split(data)
				if msg := compare(c, records, err); msg != "" {
					t.Errorf("slab %d, chunk %d, late end %v: %s", slab, chunk, late, msg)
				}
			}
		}
	}
}

// longestRaw is how many bytes the longest record has, or what is after the last
// one, if that is more.
func longestRaw(f frame.Framer, data []byte) int {
	records, _ := Split(f, data, 0, 0)
	longest, last := 0, 0
	for _, r := range records {
		longest, last = max(longest, r.Raw), int(r.Offset)+r.Raw
	}
	return max(longest, len(data)-last)
}

// affordable estimates what moving tails costs with these sizes.
func affordable(longest, size, slab, chunk int) bool {
	step := chunk
	if step == 0 || slab > 0 && slab < step && slab >= longest {
		step = max(slab, 1)
	}
	if chunk == 0 && slab == 0 {
		return true
	}
	if chunk == 0 {
		step = max(slab, longest/2, 1) // slabs double
	}
	return size/step*(longest+step) <= maxWork
}

func compare(c Case, records []Record, err error) string {
	for i := range min(len(records), len(c.Want)) {
		if got := records[i].Data; string(got) != c.Want[i] {
			return fmt.Sprintf("record %d: got %s, want %s", i, brief(got), brief([]byte(c.Want[i])))
		}
	}
	if len(records) != len(c.Want) {
		return fmt.Sprintf("got %d records (error %v), want %d", len(records), err, len(c.Want))
	}
	if !errors.Is(err, c.Err) {
		return fmt.Sprintf("got error %v, want %v", err, c.Err)
	}
	return ""
}

// brief quotes b, shortened.
func brief(b []byte) string {
	if len(b) > 80 {
		return fmt.Sprintf("%q… (%d bytes)", b[:80], len(b))
	}
	return fmt.Sprintf("%q", b)
}

// cut passes Body the first bytes of records, up to 100 sizes for each of 100.
func cut(t *testing.T, f frame.Framer, data []byte) {
	if f.Body == nil {
		t.Skip("no Body")
	}
	records, _ := Split(f, data, 0, 0)
	for _, r := range records[:min(len(records), 100)] {
		raw := data[r.Offset : r.Offset+int64(r.Raw)]
		for n := 0; n <= len(raw); n += 1 + len(raw)/100 {
			part := raw[:n:n]
			if body := f.Body(part, r.Offset); !within(body, part) {
				t.Errorf("record at offset %d: Body of its first %d bytes is not within them", r.Offset, n)
			}
		}
	}
}

// border is a record's end with the State there.
type border struct {
	offset int64
	state  []byte
}

// borders returns up to 16 borders with their States, evenly spread. Ends that only
// ever come together with later ones are left out.
func borders(f frame.Framer, data []byte) []border {
	var all []border
	d := &Driver{Framer: f, Chunk: 1 + len(data)*len(data)/maxWork, AtEnd: func(offset int64, state []byte) {
		all = append(all, border{offset, state})
	}}
	d.Split(data)
	step := 1 + len(all)/16
	var some []border
	for i := 0; i < len(all); i += step {
		some = append(some, all[i])
	}
	return some
}

func state(t *testing.T, f frame.Framer, data []byte) {
	want, wantErr := Split(f, data, 0, 0)
	for _, b := range borders(f, data) {
		if len(b.state) > 64<<10 {
			t.Fatalf("State at offset %d: got %d bytes, want at most 64 KiB", b.offset, len(b.state))
		}
		d := &Driver{Framer: f, Options: &frame.Options{Offset: b.offset, State: b.state}, Chunk: 4096}
		got, _, err := d.Split(data[b.offset:])
		rest := slices.IndexFunc(want, func(r Record) bool { return r.Offset >= b.offset })
		if rest < 0 {
			rest = len(want)
		}
		if !slices.EqualFunc(got, want[rest:], equal) {
			t.Errorf("from offset %d: got %d records, want the last %d", b.offset, len(got), len(want)-rest)
		}
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("from offset %d: got error %v, want %v", b.offset, err, wantErr)
		}
	}
}

func equal(a, b Record) bool {
	return a.Offset == b.Offset && a.Raw == b.Raw && bytes.Equal(a.Data, b.Data)
}

func resync(t *testing.T, f frame.Framer, data []byte) {
	s, err := f.New(&frame.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := s.(frame.Resyncer); !ok {
		t.Skip("no Resync")
	}
	records, cause := Split(f, data, 0, 0)
	starts := map[int64]bool{int64(len(data)): true}
	for _, r := range records {
		starts[r.Offset] = true
		if cause == nil {
			starts[r.Offset+int64(r.Raw)] = true
		}
	}
	for _, b := range append([]border{{}}, borders(f, data)...) {
		want := int64(-1)
		for _, chunk := range []int{0, 1, 7} {
			if chunk > 0 && len(data) > 8<<10 {
				continue
			}
			n, err := leaveOut(f, b, data[b.offset:], chunk)
			if err != nil {
				t.Errorf("offset %d, chunk %d: %v", b.offset, chunk, err)
				continue
			}
			got := b.offset + n
			if want >= 0 && got != want {
				t.Errorf("offset %d, chunk %d: got %d, want %d as without chunks", b.offset, chunk, got, want)
			}
			want = got
			if cause == nil && !starts[got] {
				t.Errorf("offset %d, chunk %d: got %d, want a record's start", b.offset, chunk, got)
			}
		}
	}
}

// leaveOut is how many bytes Resync leaves out at a border of data.
func leaveOut(f frame.Framer, b border, data []byte, chunk int) (total int64, err error) {
	s, err := f.New(&frame.Options{Offset: b.offset, State: b.state})
	if err != nil {
		return 0, err
	}
	if chunk == 0 {
		chunk = max(1, len(data))
	}
	var kept []byte
	for {
		slab := append(kept, data[:min(chunk, len(data))]...)
		data = data[min(chunk, len(data)):]
		n, done := s.(frame.Resyncer).Resync(slab, len(data) == 0)
		total += int64(n)
		switch {
		case n < 0 || n > len(slab):
			return total, fmt.Errorf("%w: Resync leaves out %d of %d bytes", ErrContract, n, len(slab))
		case done:
			return total, nil
		case len(data) == 0:
			return total, fmt.Errorf("%w: Resync is not done at the end", ErrContract)
		case len(slab)-n > maxKept:
			return total, fmt.Errorf("%w: Resync keeps %d bytes", ErrContract, len(slab)-n)
		}
		kept = bytes.Clone(slab[n:])
		overwrite(slab)
	}
}
