package stream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/limits"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/stream"
)

// restartedDecoder is what Restart returned.
type restartedDecoder struct {
	codec.Decoder
	codec.Positioned
	counts *restartCounts
	closed atomic.Bool
}

type restartCounts struct{ made, reset, closed atomic.Int64 }

func (d *restartedDecoder) Reset(src io.Reader) error {
	d.counts.reset.Add(1)
	return d.Decoder.Reset(src)
}

func (d *restartedDecoder) Close() error {
	if !d.closed.Swap(true) {
		d.counts.closed.Add(1)
	}
	return d.Decoder.Close()
}

// countRestarts has a zstd whose restarted decoders are counted. Those of an object's
// start show their position only if ahead is set, so that nothing is decoded ahead
// otherwise.
func countRestarts(ahead bool) (*codec.Registry, *restartCounts) {
	all, n := codec.Default().Clone(), &restartCounts{}
	c, _ := all.Lookup("zstd")
	newReader, restart := c.NewReader, c.Restart
	c.NewReader = func(src io.Reader, opts *codec.Options) (codec.Decoder, error) {
		d, err := newReader(src, opts)
		if r, ok := d.(codec.Restarter); ok && !ahead {
			d = struct {
				codec.Decoder
				codec.Restarter
			}{d, r}
		}
		return d, err
	}
	c.Restart = func(src io.Reader, p codec.Point, opts *codec.Options) (codec.Decoder, error) {
		d, err := restart(src, p, opts)
		if err != nil {
			return nil, err
		}
		n.made.Add(1)
		return &restartedDecoder{Decoder: d, Positioned: d.(codec.Positioned), counts: n}, nil
	}
	all.Register(c)
	return all, n
}

// A decoder that began in the middle of an object is closed with it, and reset for no
// other: its offsets may count from there.
func TestRestartedDecodersAreNotKept(t *testing.T) {
	few := corpus.NDJSONBytes(4, 6000)
	data := slices.Concat(few, withLongRecord())
	frames := slices.Concat(zstdWindow(22, few), zstdWindow(22, withLongRecord()))
	for _, tc := range []struct {
		why   string
		ahead bool
		run   func(t *testing.T, all *codec.Registry) error
	}{
		{"of a manifest", false, func(t *testing.T, all *codec.Registry) error {
			s := store(t, map[string][]byte{"a.ndjson.zst": frames, "b.ndjson.zst": frames})
			stop, c := newStopping(16), newCollector()
			opts := &stream.Options{Lanes: 1, Workers: 1, Checkpoint: &memCheckpoint{}, Read: stream.ReadOptions{Codecs: all, MaxRecord: 1 << 20}}
			if _, err := stream.Backfill(t.Context(), s.List(nil), stop, opts); err != nil {
				return err
			}
			_, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(c.write), opts)
			if len(c.records["b.ndjson.zst"]) != len(lines(data)) {
				t.Errorf("got %d records of the object after it, want %d", len(c.records["b.ndjson.zst"]), len(lines(data)))
			}
			return err
		}},
		{"after a suspension", false, func(t *testing.T, all *codec.Registry) (err error) {
			synctest.Test(t, func(t *testing.T) {
				_, _, err = beside(t, nil, frames, nil, all)
			})
			return err
		}},
		{"of parts that are decoded ahead", true, func(t *testing.T, all *codec.Registry) error {
			var many []byte
			for range 12 {
				many = append(many, zstdWindow(20, few)...)
			}
			s := store(t, map[string][]byte{"a.ndjson.zst": many, "b.ndjson.zst": many})
			_, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, &stream.Options{Lanes: 1, Workers: 3, Read: stream.ReadOptions{Codecs: all}})
			return err
		}},
	} {
		all, n := countRestarts(tc.ahead)
		if err := tc.run(t, all); err != nil {
			t.Errorf("%s: %v", tc.why, err)
		}
		if n.made.Load() == 0 || n.reset.Load() > 0 || n.closed.Load() != n.made.Load() {
			t.Errorf("%s: of %d restarted decoders, %d were closed and %d reset, want all closed", tc.why, n.made.Load(), n.closed.Load(), n.reset.Load())
		}
	}
}

// newStopping is a sink that takes n batches and then stops the job.
func newStopping(n int) stream.Sink {
	var mu sync.Mutex
	return stream.SinkFunc(func(context.Context, *stream.Batch) error {
		mu.Lock()
		defer mu.Unlock()
		if n--; n < 0 {
			return stream.Stop
		}
		return nil
	})
}

// shortDecoder ends cleanly after so many bytes, with all of its source read.
type shortDecoder struct {
	codec.Decoder
	left int
}

func (d *shortDecoder) Read(p []byte) (int, error) {
	if d.left == 0 {
		if _, err := io.Copy(io.Discard, d.Decoder); err != nil {
			return 0, err
		}
		return 0, io.EOF
	}
	n, err := d.Decoder.Read(p[:min(len(p), d.left)])
	d.left -= n
	return n, err
}

// What was delivered once is there when the object is decoded again. If decoding ends
// before, by what seems to be the object's end, the object has failed.
func TestDecodedAgainToLess(t *testing.T) {
	data := withLongRecord()
	short := func(decoders int) *codec.Registry { // that of this number is short
		all := codec.Default().Clone()
		c, _ := all.Lookup("zstd")
		newReader, opened := c.NewReader, 0
		c.NewReader = func(src io.Reader, opts *codec.Options) (codec.Decoder, error) {
			d, err := newReader(src, opts)
			if opened++; err == nil && opened == decoders {
				return &shortDecoder{d, 1000}, nil
			}
			return struct{ codec.Decoder }{d}, err
		}
		c.Restart = nil
		all.Register(c)
		return all
	}
	for _, tc := range []struct {
		why   string
		want  stream.Class
		cause error
		run   func(t *testing.T) error
	}{
		{"up to where a manifest says", stream.ClassCorrupt, codec.ErrCorrupt, func(t *testing.T) error {
			s := store(t, map[string][]byte{"a.ndjson.zst": zstdWindow(22, data)})
			opts := &stream.Options{Lanes: 1, Workers: 1, Checkpoint: &memCheckpoint{}, Read: stream.ReadOptions{Codecs: codec.Default().Clone(), MaxRecord: 1 << 20}}
			if _, err := stream.Backfill(t.Context(), s.List(nil), newStopping(5), opts); err != nil {
				t.Error(err)
			}
			opts.Read.Codecs = short(1)
			_, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, opts)
			return err
		}},
		{"up to where it was suspended", stream.ClassTruncated, io.ErrUnexpectedEOF, func(t *testing.T) (err error) {
			synctest.Test(t, func(t *testing.T) {
				_, _, err = beside(t, nil, zstdWindow(22, data), nil, short(3))
			})
			return err
		}},
	} {
		err := tc.run(t)
		var e *stream.Error
		if !errors.As(err, &e) || e.Class != tc.want || !errors.Is(err, tc.cause) || e.Key == "" {
			t.Errorf("%s: got %v, want class %v", tc.why, err, tc.want)
		}
	}
}

// statedDecoder passes its bytes on, and has a restart point with a state of some size
// a few slabs before where it is.
type statedDecoder struct {
	src  io.Reader
	at   int64
	size int
}

func (d *statedDecoder) Read(p []byte) (int, error) {
	n, err := d.src.Read(p)
	d.at += int64(n)
	return n, err
}
func (d *statedDecoder) Reset(src io.Reader) error { d.src, d.at = src, 0; return nil }
func (d *statedDecoder) Close() error              { return nil }
func (d *statedDecoder) RestartPoint() (codec.Point, bool) {
	at := d.at - 512<<10
	return codec.Point{Stored: at, Decoded: at, State: make([]byte, d.size)}, at > 0
}

// A manifest takes restart points whose state has up to 128 KiB. One with more is left
// out, and the object is decoded from its start.
func TestStateOfRestartPoints(t *testing.T) {
	data := corpus.NDJSONBytes(1, 20_000)
	s := store(t, map[string][]byte{"a.ndjson": data})
	for size, kept := range map[int]bool{0: true, limits.State: true, limits.State + 1: false, 4 << 20: false} {
		all, restarted := codec.Default().Clone(), 0
		all.Register(codec.Codec{
			Name: "stated",
			NewReader: func(src io.Reader, _ *codec.Options) (codec.Decoder, error) {
				return &statedDecoder{src: src, size: size}, nil
			},
			Restart: func(src io.Reader, p codec.Point, _ *codec.Options) (codec.Decoder, error) {
				if restarted++; len(p.State) != size {
					return nil, fmt.Errorf("%w: a state of %d bytes", codec.ErrCorrupt, len(p.State))
				}
				return &statedDecoder{src: src, at: p.Decoded, size: size}, nil
			},
		})
		cp := &memCheckpoint{}
		opts := &stream.Options{Lanes: 1, Checkpoint: cp, Read: stream.ReadOptions{Codec: "stated", Codecs: all}}
		if _, err := stream.Backfill(t.Context(), s.List(nil), newStopping(10), opts); err != nil {
			t.Fatal(err)
		}
		m, err := stream.ParseManifest(cp.saves[len(cp.saves)-1])
		if err != nil || len(m.Open) != 1 || m.Open[0].Record == 0 {
			t.Fatalf("%d bytes: got %v, %+v, want an object that has begun", size, err, m)
		}
		if e := m.Open[0]; (e.PointStored > 0) != kept || kept && len(e.CodecState) != size || !kept && len(e.CodecState) > 0 {
			t.Errorf("%d bytes: got a state of %d bytes for %d, want it kept: %v", size, len(e.CodecState), e.PointStored, kept)
		}
		rep, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, opts)
		if err != nil || rep.Earlier.Delivered()+rep.Counts.Delivered() != 20_000 || (restarted > 0) != kept {
			t.Errorf("%d bytes: got %v, %d restarts, %d records, want kept %v", size, err, restarted, rep.Earlier.Delivered()+rep.Counts.Delivered(), kept)
		}
	}
}
