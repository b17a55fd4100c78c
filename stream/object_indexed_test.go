package stream_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/internal/indexed"
	"github.com/thaw-go/thaw/stream"
)

// shelf is a format with its index at the end: records, their sizes as u32, their
// number as u32, and "SHLF".
func shelf(records []string) []byte {
	var out []byte
	for _, r := range records {
		out = append(out, r...)
	}
	for _, r := range records {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(r)))
	}
	out = binary.LittleEndian.AppendUint32(out, uint32(len(records)))
	return append(append([]byte("SHLF"), out...), "SHLF"...)
}

var shelfFormat = indexed.Format{
	Name:  "shelf",
	Magic: func(head []byte) bool { return bytes.HasPrefix(head, []byte("SHLF")) },
	Open: func(r io.ReaderAt, size int64, opts *indexed.Options) (indexed.Reader, error) {
		var tail [8]byte
		if _, err := r.ReadAt(tail[:], size-8); err != nil {
			return nil, err
		}
		if string(tail[4:]) != "SHLF" {
			return nil, fmt.Errorf("%w: no index at the end", frame.ErrRecord)
		}
		n := int64(binary.LittleEndian.Uint32(tail[:]))
		if 4*n > size-12 {
			return nil, fmt.Errorf("%w: %d records in %d bytes", frame.ErrRecord, n, size)
		}
		sizes := make([]byte, 4*n)
		if _, err := r.ReadAt(sizes, size-8-4*n); err != nil && n > 0 {
			return nil, err
		}
		x := &shelfReader{r: r, sizes: sizes, at: 4}
		if opts.State != nil {
			for range binary.LittleEndian.Uint32(opts.State) {
				x.at += int64(binary.LittleEndian.Uint32(x.sizes))
				x.sizes = x.sizes[4:]
				x.filled++
			}
		}
		return x, nil
	},
}

type shelfReader struct {
	r      io.ReaderAt
	sizes  []byte
	at     int64
	filled uint32
}

func (x *shelfReader) Fill(slab []byte, ends []uint32) ([]uint32, error) {
	n := 0
	for len(x.sizes) > 0 {
		size := int(binary.LittleEndian.Uint32(x.sizes))
		if n+size > len(slab) {
			if n == 0 {
				return ends, io.ErrShortBuffer
			}
			break
		}
		if _, err := x.r.ReadAt(slab[n:n+size], x.at); err != nil && size > 0 {
			return ends, err
		}
		n += size
		x.at += int64(size)
		ends = append(ends, uint32(n))
		x.sizes = x.sizes[4:]
		x.filled++
	}
	if len(x.sizes) == 0 {
		return ends, io.EOF
	}
	return ends, nil
}

func (x *shelfReader) State() []byte { return binary.LittleEndian.AppendUint32(nil, x.filled) }
func (x *shelfReader) Close() error  { return nil }

// An indexed format is found by its magic and makes batches like any other; a job
// that stops inside one continues there.
func TestIndexedFormat(t *testing.T) {
	var want []string
	for i := range 3000 {
		want = append(want, fmt.Sprintf("%d:%s", i, strings.Repeat("x", i%700)))
	}
	want[1500] = strings.Repeat("L", 900<<10) // larger than a slab
	s := store(t, map[string][]byte{"a.shelf": shelf(want), "plain.txt": []byte("one\ntwo\n")})
	opts := &stream.Options{Lanes: 1, Read: stream.WithIndexed(stream.ReadOptions{}, shelfFormat), Checkpoint: &memCheckpoint{}}
	c := newCollector()
	left := 4
	for runs := 0; ; runs++ {
		if runs > 20 {
			t.Fatal("does not end")
		}
		rep, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(func(ctx context.Context, b *stream.Batch) error {
			if left--; left < 0 {
				return stream.Stop
			}
			return c.write(ctx, b)
		}), opts)
		if err != nil {
			t.Fatal(err)
		}
		if rep.Stages.Sum() != rep.Wall {
			t.Errorf("stages add up to %v of %v", rep.Stages.Sum(), rep.Wall)
		}
		if !rep.Stopped {
			break
		}
		left = 5
	}
	var got []string
	for _, r := range c.records["a.shelf"] {
		if len(got) == 0 || got[len(got)-1] != r { // the batch before a Stop may come twice
			got = append(got, r)
		}
	}
	if len(c.ids) != len(want)+2 || !slices.Equal(dedup(got), want) {
		t.Errorf("%d ids, want %d", len(c.ids), len(want)+2)
	}
	if !slices.Equal(c.records["plain.txt"], []string{"one", "two"}) {
		t.Errorf("plain.txt gave %q", c.records["plain.txt"])
	}
}

// dedup keeps the first of each.
func dedup(in []string) (out []string) {
	seen := map[string]bool{}
	for _, s := range in {
		if !seen[s] {
			out = append(out, s)
		}
		seen[s] = true
	}
	return out
}

// A broken index is the object's error, typed and positioned.
func TestIndexedFault(t *testing.T) {
	data := shelf([]string{"a", "b"})
	s := store(t, map[string][]byte{"cut.shelf": data[:len(data)-3]})
	steps := 0
	for _, err := range stream.Records(t.Context(), s, "cut.shelf", &stream.RecordsOptions{Read: stream.WithIndexed(stream.ReadOptions{}, shelfFormat)}) {
		var e *stream.Error
		if steps++; !errors.As(err, &e) || e.Class != stream.ClassBadRecord || e.Key != "cut.shelf" {
			t.Errorf("got %v", err)
		}
	}
	if steps != 1 {
		t.Errorf("got %d steps, want the error alone", steps)
	}
}

// Open returns bytes, and those of a format that is read by its index are the stored
// ones, or what a codec makes of them.
func TestOpenOfIndexed(t *testing.T) {
	plain := shelf([]string{"a", "bb", "ccc"})
	for _, tc := range []struct {
		why    string
		stored []byte
		read   stream.ReadOptions
	}{
		{why: "by magic", stored: plain},
		{why: "by name", stored: plain, read: stream.ReadOptions{Frame: "shelf"}},
		{why: "plain by choice", stored: plain, read: stream.ReadOptions{Codec: "none"}},
		{why: "cut lines by choice", stored: plain, read: stream.ReadOptions{Frame: "lines"}},
		{why: "under a codec", stored: encode(t, "gzip", plain), // longer than plain
			read: stream.ReadOptions{Frame: "shelf"}},
		{why: "its magic alone", stored: plain[:4]},
	} {
		tc.read = stream.WithIndexed(tc.read, shelfFormat)
		r, err := stream.Open(t.Context(), store(t, map[string][]byte{"a": tc.stored}), "a", &stream.OpenOptions{Read: tc.read})
		if err != nil {
			t.Errorf("%s: got %v", tc.why, err)
			continue
		}
		want := plain
		if len(tc.stored) < len(plain) {
			want = tc.stored
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: got %d bytes, %v; want %d", tc.why, len(got), err, len(want))
		}
		if err := r.Close(); err != nil || !r.Report().Complete() {
			t.Errorf("%s: Close gave %v, complete %v", tc.why, err, r.Report().Complete())
		}
	}
}

// faultAfter is an indexed format of two records and a fault in the third.
type faultAfter struct{}

func (f *faultAfter) Fill(slab []byte, ends []uint32) ([]uint32, error) {
	copy(slab, "abbb")
	return append(ends, 1, 4), frame.ErrRecord
}
func (f *faultAfter) State() []byte { return nil }
func (f *faultAfter) Close() error  { return nil }

// Records before a fault are delivered first, and the fault is final.
func TestIndexedFaultAfterRecords(t *testing.T) {
	format := indexed.Format{Name: "fault", Open: func(io.ReaderAt, int64, *indexed.Options) (indexed.Reader, error) {
		return &faultAfter{}, nil
	}}
	s := store(t, map[string][]byte{"a": []byte("some text")})
	var got []string
	faults := 0
	for rec, err := range stream.Records(t.Context(), s, "a", &stream.RecordsOptions{Read: stream.WithIndexed(stream.ReadOptions{Frame: "fault"}, format)}) {
		if err == nil {
			got = append(got, string(rec.Data))
		} else if faults++; !errors.Is(err, frame.ErrRecord) || isOfRecord(err) {
			t.Errorf("got %v, want the object's error", err)
		}
	}
	if !slices.Equal(got, []string{"a", "bbb"}) || faults != 1 {
		t.Errorf("got %q and %d faults, want both records and one", got, faults)
	}
}
