package stream_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/stream"
)

func TestOpenGivesDecodedBytes(t *testing.T) {
	data := corpus.NDJSONBytes(1, 4000)
	for _, name := range []string{"none", "gzip", "zstd", "lz4", "snappy", "s2"} {
		t.Run(name, func(t *testing.T) {
			s := store(t, map[string][]byte{"a": encode(t, name, data)})
			for _, how := range []string{"small reads", "large reads", "WriteTo"} {
				r, err := stream.Open(t.Context(), s, "a", nil)
				if err != nil {
					t.Fatal(err)
				}
				var got []byte
				switch how {
				case "small reads":
					got, err = io.ReadAll(iotest.OneByteReader(r))
				case "large reads":
					got, err = readBy(r, 100<<10)
				case "WriteTo":
					var b bytes.Buffer
					_, err = r.WriteTo(&b)
					got = b.Bytes()
				}
				if err != nil || !bytes.Equal(got, data) {
					t.Errorf("%s: got %d bytes and %v, want %d", how, len(got), err, len(data))
				}
				if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
					t.Errorf("%s: read after the end gave %d, %v", how, n, err)
				}
				if d := r.Detection(); d.Codec != name {
					t.Errorf("detected %s, want %s", d.Codec, name)
				}
				before := r.Report()
				if err := r.Close(); err != nil {
					t.Error(err)
				}
				rep := r.Report()
				if rep.Stages.Sum() != rep.Wall {
					t.Errorf("stages add up to %v, wall is %v", rep.Stages.Sum(), rep.Wall)
				}
				for when, rep := range map[string]*stream.Report{"at the end": before, "after Close": rep} {
					if !rep.Complete() || rep.Counts.Decoded != int64(len(data)) {
						t.Errorf("%s: report %s says complete %v, %d decoded", how, when, rep.Complete(), rep.Counts.Decoded)
					}
					if len(rep.Codecs) != 1 || rep.Codecs[0].Decoded != int64(len(data)) || rep.Codecs[0].Busy != rep.Stages.Decode {
						t.Errorf("%s: report %s says %+v of codecs, want one of %d bytes in %v", how, when, rep.Codecs, len(data), rep.Stages.Decode)
					}
				}
				if _, err := r.Read(make([]byte, 1)); !errors.Is(err, fs.ErrClosed) {
					t.Errorf("read after Close gave %v, want fs.ErrClosed", err)
				}
			}
		})
	}
}

func readBy(r io.Reader, n int) ([]byte, error) {
	var out []byte
	buf := make([]byte, n)
	for {
		n, err := r.Read(buf)
		out = append(out, buf[:n]...)
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
	}
}

// Each fault is an error of its class, behind the data before it.
func TestFaultsAreTyped(t *testing.T) {
	data := corpus.NDJSONBytes(1, 4000)
	gz, zst := encode(t, "gzip", data), encode(t, "zstd", data)
	flipped := bytes.Clone(gz)
	flipped[len(flipped)-6] ^= 1 // in the CRC
	s := store(t, map[string][]byte{
		"cut.gz": gz[:len(gz)-100], "cut.zst": zst[:len(zst)-100], "crc.gz": flipped,
		"trail.zst": append(bytes.Clone(zst), "junk that follows"...),
		"folder/":   nil,
	})
	tests := []struct {
		key   string
		class stream.Class
		is    error
		whole bool // all data comes before the error
	}{
		{"missing.gz", stream.ClassMissing, fs.ErrNotExist, false},
		{"cut.gz", stream.ClassTruncated, io.ErrUnexpectedEOF, false},
		{"cut.zst", stream.ClassTruncated, io.ErrUnexpectedEOF, false},
		{"crc.gz", stream.ClassChecksum, codec.ErrChecksum, true},
		{"trail.zst", stream.ClassTrailing, codec.ErrTrailing, true},
	}
	for _, tt := range tests {
		t.Run(tt.key, func(t *testing.T) {
			var got []byte
			r, err := stream.Open(t.Context(), s, tt.key, nil)
			if err == nil {
				got, err = readBy(r, 1<<20)
				r.Close()
			}
			var e *stream.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %T %v, want *stream.Error", err, err)
			}
			if e.Class != tt.class || !errors.Is(err, tt.is) || e.Key != tt.key || isOfRecord(err) {
				t.Errorf("got %+v, want class %v and %v", e, tt.class, tt.is)
			}
			if !bytes.HasPrefix(data, got) || (tt.whole && len(got) != len(data)) {
				t.Errorf("got %d bytes before the error, of %d", len(got), len(data))
			}
			if stream.ClassOf(err) != tt.class {
				t.Errorf("ClassOf is %v", stream.ClassOf(err))
			}
		})
	}
}

// Records gives the same records as a split of the data, whatever lies on the
// edges of slabs; a record larger than a slab is whole.
func TestRecordsAcrossSlabs(t *testing.T) {
	const slab = 128 << 10
	for _, size := range []int{1, 79, 240, 64<<10 - 1, 64 << 10, 64<<10 + 1, slab - 1, slab, slab + 1, 3*slab + 7, 5 << 20} {
		var data []byte
		var want []string
		for i := 0; len(data) < 3*size+2*slab; i++ {
			rec := bytes.Repeat([]byte{'a' + byte(i%26)}, size)
			want = append(want, string(rec))
			data = append(append(data, rec...), '\n')
		}
		s := store(t, map[string][]byte{"a.txt.zst": encode(t, "zstd", data)})
		var got []string
		var offset int64
		for rec, err := range stream.Records(t.Context(), s, "a.txt.zst", nil) {
			if err != nil {
				t.Fatalf("size %d: %v", size, err)
			}
			if rec.Index != int64(len(got)) || rec.Offset != offset {
				t.Fatalf("size %d: record %d at %d, want %d at %d", size, rec.Index, rec.Offset, len(got), offset)
			}
			offset += int64(size) + 1
			got = append(got, string(rec.Data))
		}
		if !slices.Equal(got, want) {
			t.Errorf("size %d: got %d records, want %d, or others", size, len(got), len(want))
		}
	}
}

// A record over MaxRecord is an error, left out, or cut, and the records behind it
// arrive, wherever in a slab it lies.
func TestOversized(t *testing.T) {
	const limit = 1000
	for _, size := range []int{limit, limit + 1, 100 << 10, 1 << 20} { // with the newline
		for _, before := range []int{0, 1, 3000} {
			var data []byte
			var all []string
			add := func(n int, b byte) {
				rec := bytes.Repeat([]byte{b}, n-1)
				all = append(all, string(rec))
				data = append(append(data, rec...), '\n')
			}
			for range before {
				add(200, 's')
			}
			add(size, 'L')
			for range 5 {
				add(100, 'e')
			}
			s := store(t, map[string][]byte{"a.txt": data})
			read := func(p stream.OversizedPolicy) (got []string, index []int64, err error) {
				for rec, e := range stream.Records(t.Context(), s, "a.txt", &stream.RecordsOptions{Read: stream.ReadOptions{MaxRecord: limit, Oversized: p}}) {
					if e != nil {
						return got, index, e
					}
					got = append(got, string(rec.Data))
					index = append(index, rec.Index)
				}
				return got, index, nil
			}
			over := size > limit
			got, _, err := read(stream.FailOversized)
			if over != errors.Is(err, frame.ErrTooLong) {
				t.Errorf("size %d: got %v", size, err)
			}
			if over && !slices.Equal(got, all[:before]) {
				t.Errorf("size %d behind %d: %d records before the error", size, before, len(got))
			}
			want := slices.Clone(all)
			if over {
				want = slices.Delete(want, before, before+1)
			}
			got, index, err := read(stream.SkipOversized)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("skip, size %d behind %d: got %d records and %v, want %d", size, before, len(got), err, len(want))
			}
			if n := len(index); n > 0 && index[n-1] != int64(len(all)-1) {
				t.Errorf("skip: last index is %d, want %d: left-out records count", index[n-1], len(all)-1)
			}
			want = slices.Clone(all)
			if over {
				want[before] = want[before][:limit]
			}
			got, _, err = read(stream.TruncateOversized)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("truncate, size %d behind %d: got %d records and %v, want %d", size, before, len(got), err, len(want))
			}
		}
	}
}

// Framers that refuse a record by its header follow the policy too.
func TestOversizedByHeader(t *testing.T) {
	const limit = 1000
	for _, size := range []int{limit, limit + 1, 400 << 10} { // with the header
		var data []byte
		var all []string
		for i, n := range []int{10, size - 4, 20, size - 4, 30} {
			rec := bytes.Repeat([]byte{'a' + byte(i)}, n)
			all = append(all, string(rec))
			data = append(binary.BigEndian.AppendUint32(data, uint32(n)), rec...)
		}
		s := store(t, map[string][]byte{"a": data})
		over := size > limit
		for _, p := range []stream.OversizedPolicy{stream.FailOversized, stream.SkipOversized, stream.TruncateOversized} {
			var got []string
			var failed error
			for rec, err := range stream.Records(t.Context(), s, "a", &stream.RecordsOptions{Read: stream.ReadOptions{Frame: "u32be", MaxRecord: limit, Oversized: p}}) {
				if failed = err; err == nil {
					got = append(got, string(rec.Data))
				}
			}
			want := slices.Clone(all)
			switch {
			case over && p == stream.FailOversized:
				want = want[:1]
			case over && p == stream.SkipOversized:
				want = []string{all[0], all[2], all[4]}
			case over:
				want[1], want[3] = want[1][:limit-4], want[3][:limit-4]
			}
			if fails := over && p == stream.FailOversized; fails != (failed != nil) || fails && stream.ClassOf(failed) != stream.ClassOversized {
				t.Errorf("size %d, policy %d: got %v", size, p, failed)
			}
			if !slices.Equal(got, want) {
				t.Errorf("size %d, policy %d: got %d records, want %d, or others", size, p, len(got), len(want))
			}
		}
	}
}

func TestRecordIDs(t *testing.T) {
	s := store(t, map[string][]byte{"a": []byte("x\nx\n"), "b": []byte("x\n")})
	ids := func(key string) (out []string) {
		for rec, err := range stream.Records(t.Context(), s, key, nil) {
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, rec.ID())
		}
		return out
	}
	a, again, b := ids("a"), ids("a"), ids("b")
	if !slices.Equal(a, again) {
		t.Errorf("ids differ between two reads: %v, %v", a, again)
	}
	if a[0] == a[1] || a[0] == b[0] {
		t.Errorf("ids repeat: %v %v", a, b)
	}
	put(t, s, "a", []byte("x\nx\n"))
	if c := ids("a"); c[0] == a[0] {
		t.Error("another version has the same id")
	}
}

// shortWriter takes one byte less than it is given, once, and says nothing.
type shortWriter struct {
	bytes.Buffer
	did bool
}

func (w *shortWriter) Write(p []byte) (int, error) {
	if !w.did {
		w.did = true
		p = p[:len(p)-1]
	}
	return w.Buffer.Write(p)
}

// A Writer that takes less than it was given is an error, and nothing is lost.
func TestWriteToShort(t *testing.T) {
	data := corpus.NDJSONBytes(1, 4000)
	s := store(t, map[string][]byte{"a": data})
	r, err := stream.Open(t.Context(), s, "a", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var w shortWriter
	if _, err := r.WriteTo(&w); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("got %v, want io.ErrShortWrite", err)
	}
	if _, err := r.WriteTo(&w); err != nil || !bytes.Equal(w.Bytes(), data) {
		t.Errorf("got %d bytes and %v, want %d", w.Len(), err, len(data))
	}
}

// The report of a Reader may be asked for from another goroutine at any time. It
// names the error that ended the read.
func TestReaderReport(t *testing.T) {
	enc := encode(t, "gzip", corpus.NDJSONBytes(1, 40000))
	s := store(t, map[string][]byte{"cut.gz": enc[:len(enc)-9]})
	r, err := stream.Open(t.Context(), s, "cut.gz", nil)
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			if rep := r.Report(); rep.Stages.Sum() != rep.Wall || rep.Complete() {
				t.Errorf("stages add up to %v, wall is %v, complete %v", rep.Stages.Sum(), rep.Wall, rep.Complete())
			} else {
				for name, d := range rep.Stages.All() {
					if d < 0 {
						t.Errorf("%v in stage %s", d, name)
					}
				}
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	const some = 100 << 10
	if _, err := io.ReadFull(r, make([]byte, some)); err != nil {
		t.Fatal(err)
	}
	if rep := r.Report(); rep.Counts.Decoded < some || rep.Counts.Remaining().Objects != 1 {
		t.Errorf("in the middle: got %d bytes decoded and %d objects remaining, want %d or more and 1", rep.Counts.Decoded, rep.Counts.Remaining().Objects, some)
	}
	_, err = readBy(r, 10<<10)
	before := r.Report()
	r.Close()
	close(stop)
	wg.Wait()
	for when, rep := range map[string]*stream.Report{"behind the fault": before, "after Close": r.Report()} {
		if stream.ClassOf(err) != stream.ClassTruncated || rep.Class != "truncated" || rep.Complete() || rep.Counts.Failed.Objects != 1 {
			t.Errorf("%s: got %v, report says %q of class %q, complete %v, %d failed", when, err, rep.Error, rep.Class, rep.Complete(), rep.Counts.Failed.Objects)
		}
	}
}

// An object whose read is canceled has not failed: it remains.
func TestReaderReportOfCanceled(t *testing.T) {
	s := store(t, map[string][]byte{"a.gz": encode(t, "gzip", corpus.NDJSONBytes(1, 40000))})
	ctx, cancel := context.WithCancel(t.Context())
	r, err := stream.Open(ctx, s, "a.gz", nil)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	_, err = readBy(r, 10<<10)
	rep := r.Report()
	r.Close()
	if stream.ClassOf(err) != stream.ClassCanceled || rep.Class != "canceled" || rep.Complete() || rep.Counts.Remaining().Objects != 1 {
		t.Errorf("got %v, report says class %q, complete %v, %d remaining, want canceled, false, 1", err, rep.Class, rep.Complete(), rep.Counts.Remaining().Objects)
	}
}

// Bytes behind the last member that were accepted are told.
func TestLeftOutBytesAreReported(t *testing.T) {
	zst := encode(t, "zstd", []byte("one\ntwo\n"))
	s := store(t, map[string][]byte{"a.zst": append(bytes.Clone(zst), "junk"...)})
	rep, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, &stream.Options{Read: stream.ReadOptions{Decode: codec.Options{IgnoreTrailing: true}}})
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("a.zst: 4 bytes from stored offset %d on are no zstd member and were left out", len(zst))
	if !slices.Equal(rep.Conflicts, []string{want}) {
		t.Errorf("got %q, want %q", rep.Conflicts, want)
	}
}
