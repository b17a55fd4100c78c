package stream_test

import (
	"errors"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/stream"
)

// MinMemory is what a Pool needs to have room for one reader, whatever bounds windows
// and records.
func TestMinMemory(t *testing.T) {
	t.Parallel()
	s := store(t, map[string][]byte{"a": []byte("x\n")})
	for _, opts := range []*stream.ReadOptions{
		nil,
		{MaxRecord: 100},
		{Decode: codec.Options{MaxWindow: 1 << 10}},
		{Decode: codec.Options{MaxWindow: 1 << 10}, MaxRecord: 100},
		{Decode: codec.Options{MaxWindow: 1 << 30}, MaxRecord: 1 << 30},
	} {
		read := stream.ReadOptions{}
		if opts != nil {
			read = *opts
		}
		least := stream.MinMemory(opts)
		for n := least - 8; n < least+16; n++ {
			read.Pool = stream.NewPool(&stream.PoolOptions{Memory: n})
			_, err := stream.Backfill(t.Context(), blob.Keys(s, "a"), stream.Discard, &stream.Options{Read: read})
			limit, small := errors.AsType[*codec.LimitError](err)
			switch {
			case n >= least && (err != nil || read.Pool.MaxReaders(opts) == 0):
				t.Errorf("%+v: with %d bytes, %d over the least, got %v", opts, n, n-least, err)
			case n == least-8 && (!small || limit.Needed != least || limit.Allowed != n || read.Pool.MaxReaders(opts) != 0):
				t.Errorf("%+v: with %d bytes, 8 under the least, got %v", opts, n, err)
			}
		}
	}
}

// What decodes beside a Pool has the limits of its readers.
func TestDecodeOptions(t *testing.T) {
	t.Parallel()
	p := stream.NewPool(&stream.PoolOptions{Memory: 64 << 20})
	for _, tt := range []struct{ set, want int64 }{{0, 32 << 20}, {8 << 20, 8 << 20}, {1 << 30, 32 << 20}} {
		got := p.DecodeOptions(&stream.ReadOptions{Decode: codec.Options{MaxWindow: tt.set, MaxRatio: 9}})
		if got.MaxWindow != tt.want || got.MaxRatio != 9 {
			t.Errorf("MaxWindow %d: got %d and ratio %d, want %d and 9", tt.set, got.MaxWindow, got.MaxRatio, tt.want)
		}
	}
	if got := p.DecodeOptions(nil); p.Memory() != 64<<20 || got.MaxWindow != 32<<20 {
		t.Errorf("got a Memory of %d and MaxWindow %d, want 64 MiB and half of it", p.Memory(), got.MaxWindow)
	}
}
