package stream_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/stream"
)

// slowCodec is a codec whose units, of a magic, a size and data, take time to decode.
func slowCodec(perUnit time.Duration) codec.Codec {
	const magic = "SLOW"
	open := func(src io.Reader, p codec.Point) *slowDecoder {
		return &slowDecoder{src: src, takes: perUnit, stored: p.Stored}
	}
	return codec.Codec{
		Name: "slow",
		Magic: func(head []byte, _ bool) codec.Match {
			if bytes.HasPrefix(head, []byte(magic)) {
				return codec.Matched
			}
			return codec.NoMatch
		},
		NewReader: func(src io.Reader, _ *codec.Options) (codec.Decoder, error) { return open(src, codec.Point{}), nil },
		Restart:   func(src io.Reader, p codec.Point, _ *codec.Options) (codec.Decoder, error) { return open(src, p), nil },
		Scan:      func() codec.Scanner { return slowScanner{} },
	}
}

func slowObject(units, size int) (b []byte) {
	for i := range units {
		b = binary.LittleEndian.AppendUint32(append(b, "SLOW"...), uint32(size))
		b = append(b, bytes.Repeat(fmt.Appendf(nil, "%07d\n", i), size/8)...)
	}
	return b
}

type slowScanner struct{}

func (slowScanner) Scan(b []byte, left int64) (codec.Step, error) {
	switch {
	case left == 0:
		return codec.Step{}, io.EOF
	case len(b) < 8:
		return codec.Step{}, io.ErrShortBuffer
	}
	n := int64(binary.LittleEndian.Uint32(b[4:]))
	return codec.Step{Role: codec.StepBlock, Unit: true, Part: codec.Part{Kind: "unit", Size: 8 + n, Decoded: n}}, nil
}

type slowDecoder struct {
	src    io.Reader
	takes  time.Duration
	stored int64
	data   []byte
}

func (d *slowDecoder) Read(p []byte) (int, error) {
	if len(d.data) == 0 {
		var head [8]byte
		if _, err := io.ReadFull(d.src, head[:]); err != nil {
			return 0, err
		}
		d.data = make([]byte, binary.LittleEndian.Uint32(head[4:]))
		if _, err := io.ReadFull(d.src, d.data); err != nil {
			return 0, err
		}
		d.stored += 8 + int64(len(d.data))
		time.Sleep(d.takes)
	}
	n := copy(p, d.data)
	d.data = d.data[n:]
	return n, nil
}

func (d *slowDecoder) StoredOffset() int64 { return d.stored }
func (d *slowDecoder) Reset(src io.Reader) error {
	*d = slowDecoder{src: src, takes: d.takes}
	return nil
}
func (d *slowDecoder) Close() error { return nil }

// Times of helpers are charged once: what a lane waits for is in its stages, which add up to
// the wall time, and the decode time of the codec is that of all workers.
func TestAheadTime(t *testing.T) {
	const units, size, takes = 40, 100 << 10, 10 * time.Millisecond
	for _, tc := range []struct {
		workers int
		sink    time.Duration // for each batch
		most    time.Duration // the wall time
	}{
		{1, 0, units * takes},
		{2, 0, units*takes/2 + 4*takes},
		{4, 0, units*takes/4 + 6*takes},
		{4, 20 * time.Millisecond, 40*20*time.Millisecond + 10*takes}, // the sink is slower
	} {
		synctest.Test(t, func(t *testing.T) {
			codecs := codec.Default().Clone()
			codecs.Register(slowCodec(takes))
			s := store(t, map[string][]byte{"a": slowObject(units, size)})
			pool := stream.NewPool(&stream.PoolOptions{Workers: tc.workers})
			rep, err := stream.Backfill(t.Context(), blob.Keys(s, "a"), stream.SinkFunc(func(context.Context, *stream.Batch) error {
				time.Sleep(tc.sink)
				return nil
			}), &stream.Options{Lanes: 1, Read: stream.ReadOptions{Codecs: codecs, Pool: pool}})
			if err != nil || rep.Counts.Delivered() != units*size/8 {
				t.Fatalf("%d workers: got %d records, %v", tc.workers, rep.Counts.Delivered(), err)
			}
			if rep.Wall > tc.most {
				t.Errorf("%d workers: it took %v, want at most %v", tc.workers, rep.Wall, tc.most)
			}
			if got := rep.Stages.Sum(); got != rep.Wall {
				t.Errorf("%d workers: the stages add up to %v, want %v", tc.workers, got, rep.Wall)
			}
			if got := rep.Codecs[0].Busy; got != units*takes {
				t.Errorf("%d workers: decoding took %v, want %v", tc.workers, got, units*takes)
			}
			if n := pool.InUse(); n != 0 {
				t.Errorf("%d workers: %d bytes are still in use", tc.workers, n)
			}
		})
	}
}
