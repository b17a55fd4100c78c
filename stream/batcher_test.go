package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
	"github.com/thaw-go/thaw/stream"
)

// The first records are delivered as they arrive. They do not wait for a slab that is
// full, nor for bytes that are still under way.
func TestFirstRecordsAreNotHeldBack(t *testing.T) {
	const wait = 5 * time.Second
	data := bytes.Repeat([]byte("a line of text\n"), 2000)
	synctest.Test(t, func(t *testing.T) {
		faults := faultstore.New(&faultstore.Options{Plan: faultstore.First(func(c faultstore.Call) faultstore.Fault {
			if c.Op == faultstore.Read {
				return faultstore.Fault{Kind: faultstore.Stall, At: 8000, Wait: wait}
			}
			return faultstore.Fault{}
		})})
		faults.Add(faultstore.Item{Key: "a.txt", Content: faultstore.Bytes(data)})
		s := blob.New(faults, nil)
		defer s.Close()
		start := time.Now()
		var first time.Duration = -1
		c := newCollector()
		_, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(func(ctx context.Context, b *stream.Batch) error {
			if first < 0 {
				first = time.Since(start)
			}
			return c.write(ctx, b)
		}), &stream.Options{Lanes: 1, Read: stream.ReadOptions{Codec: "none"}})
		if err != nil || !slices.Equal(c.records["a.txt"], lines(data)) {
			t.Errorf("got %v and %d records, want %d", err, len(c.records["a.txt"]), len(lines(data)))
		}
		if first < 0 || first >= wait {
			t.Errorf("got the first batch after %v, want it before %v", first, wait)
		}
	})
}

// An end outside of the bytes that were passed is the object's error, however few they
// are: nothing is delivered of what the slab held before.
func TestEndOutsideOfItsBytes(t *testing.T) {
	for size := range 3 {
		frames := frame.Default().Clone()
		frames.Register(frame.Framer{Name: "own", New: func(*frame.Options) (frame.Scanner, error) { return beyond{end: true}, nil }})
		s := store(t, map[string][]byte{"a": bytes.Repeat([]byte("x"), size)})
		delivered := 0
		rep, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
			delivered += b.Len()
			return nil
		}), &stream.Options{
			Lanes: 1, Read: stream.ReadOptions{Frame: "own", Framers: frames, Codec: "none"}, OnObjectError: stream.SkipClasses(),
		})
		if n := rep.Counts; err != nil || n.Skipped.Objects != 1 || delivered != 0 {
			t.Errorf("%d bytes: got %v, %d records, counts %+v; want the object's error", size, err, delivered, n)
		}
	}
}

// byTurns is a framer whose records end with a line break and a semicolon by turns, so
// that it cannot continue without its state.
type byTurns struct{ odd bool }

func (s *byTurns) Scan(slab []byte, eof bool, ends []uint32) ([]uint32, error) {
	at := 0
	for {
		n := bytes.IndexByte(slab[at:], s.mark())
		if n < 0 {
			if eof && at < len(slab) {
				ends = append(ends, uint32(len(slab)))
			}
			return ends, nil
		}
		at += n + 1
		ends, s.odd = append(ends, uint32(at)), !s.odd
	}
}

func (s *byTurns) mark() byte { return "\n;"[len(s.State())-1] }

// State is never nil: one byte or two.
func (s *byTurns) State() []byte {
	if s.odd {
		return []byte{1, 1}
	}
	return []byte{0}
}

func (s *byTurns) Resync(slab []byte, eof bool) (int, bool) {
	n := bytes.IndexByte(slab, s.mark())
	if n < 0 {
		return len(slab), eof
	}
	s.odd = !s.odd
	return n + 1, true
}

// A run that ends at any batch is continued at a record where the framer's state is
// known. Batches in the middle of a slab, such as those after a record that was cut,
// begin where it is not.
func TestSavepointsNeedTheState(t *testing.T) {
	frames := frame.Default().Clone()
	frames.Register(frame.Framer{Name: "turns", New: func(o *frame.Options) (frame.Scanner, error) {
		return &byTurns{len(o.State) == 2}, nil
	}})
	var data strings.Builder
	for i := range 40 {
		size := 3
		if i%4 == 3 {
			size = 3000 // oversized, in the middle of the slab
		}
		fmt.Fprintf(&data, "%03d.%s%c", i, strings.Repeat("x", size), "\n;"[i%2])
	}
	s := store(t, map[string][]byte{"a": []byte(data.String())})
	run := func(stop int, cp stream.Checkpoint, got map[int64]string) *stream.Report {
		n := 0
		rep, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
			if n++; n == stop {
				return stream.Stop
			}
			for rec := range b.All() {
				if was, ok := got[rec.Index]; ok && was != string(rec.Data) {
					t.Errorf("stopped at batch %d: record %d is %.8q and %.8q", stop, rec.Index, was, rec.Data)
				}
				got[rec.Index] = string(rec.Data)
			}
			return nil
		}), &stream.Options{Lanes: 1, Checkpoint: cp, Read: stream.ReadOptions{
			Frame: "turns", Framers: frames, Codec: "none", MaxRecord: 1000, Oversized: stream.TruncateOversized,
		}})
		if err != nil {
			t.Fatal(err)
		}
		return rep
	}
	want := map[int64]string{}
	run(0, nil, want)
	if len(want) != 40 {
		t.Fatalf("got %d records, want 40", len(want))
	}
	stopped := 0
	for stop := 1; stop <= 20; stop++ {
		cp, got := &memCheckpoint{}, map[int64]string{}
		if !run(stop, cp, got).Stopped {
			break
		}
		stopped++
		if rep := run(0, cp, got); rep.Stopped || rep.Counts.Done.Objects != 1 {
			t.Errorf("stopped at batch %d: the second run has counts %+v, want the object done", stop, rep.Counts)
		}
		for i, rec := range want {
			if got[i] != rec {
				t.Errorf("stopped at batch %d: record %d is %.8q, want %.8q", stop, i, got[i], rec)
			}
		}
	}
	if stopped < 10 {
		t.Errorf("%d runs were stopped, want one for each batch", stopped)
	}
}

// dropping is a Decoder that returns the first keep bytes and reads the rest in vain.
type dropping struct {
	src  io.Reader
	keep int64
}

func (d *dropping) Read(p []byte) (int, error) {
	if d.keep == 0 {
		if _, err := io.Copy(io.Discard, d.src); err != nil {
			return 0, err
		}
		return 0, io.EOF
	}
	n, err := d.src.Read(p[:min(int64(len(p)), d.keep)])
	d.keep -= int64(n)
	return n, err
}
func (d *dropping) Reset(src io.Reader) error { d.src = src; return nil }
func (d *dropping) Close() error              { return nil }

// An object that decodes to less than a manifest has of it is corrupt. It has not ended
// at the savepoint.
func TestSavepointAfterTheEnd(t *testing.T) {
	data := bytes.Repeat([]byte("a line of text\n"), 40_000)
	keep := int64(len(data))
	all := codec.Default().Clone()
	all.Register(codec.Codec{Name: "dropping", NewReader: func(src io.Reader, _ *codec.Options) (codec.Decoder, error) {
		return &dropping{src, keep}, nil
	}})
	s := store(t, map[string][]byte{"a": data})
	cp := &memCheckpoint{}
	run := func(stop int) (*stream.Report, error) {
		n := 0
		return stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(func(context.Context, *stream.Batch) error {
			if n++; n == stop {
				return stream.Stop
			}
			return nil
		}), &stream.Options{Lanes: 1, Checkpoint: cp, Read: stream.ReadOptions{Codecs: all, Codec: "dropping"}})
	}
	if rep, err := run(4); err != nil || !rep.Stopped || rep.Counts.Delivered() == 0 {
		t.Fatalf("got %v, want a run that was stopped in the object", err)
	}
	keep = 1500
	if rep, err := run(0); !errors.Is(err, codec.ErrCorrupt) || rep.Counts.Done.Objects != 0 {
		t.Errorf("got %v and %d objects done, want %v", err, rep.Counts.Done.Objects, codec.ErrCorrupt)
	}
}
