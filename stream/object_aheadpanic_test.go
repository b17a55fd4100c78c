package stream_test

import (
	"io"
	"slices"
	"testing"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/stream"
)

// lostDecoder does not show its position, or panics when it is asked for it.
type lostDecoder struct{ codec.Decoder }

func (lostDecoder) StoredOffset() int64 { panic("of the decoder") }

// Parts whose decoder cannot be asked where it is are decoded by the lane.
func TestAheadWithoutPosition(t *testing.T) {
	few := corpus.NDJSONBytes(4, 6000)
	var stored, data []byte
	for range 12 {
		stored, data = append(stored, zstdWindow(20, few)...), append(data, few...)
	}
	for why, wrap := range map[string]func(codec.Decoder) codec.Decoder{
		"none":   func(d codec.Decoder) codec.Decoder { return struct{ codec.Decoder }{d} },
		"panics": func(d codec.Decoder) codec.Decoder { return lostDecoder{d} },
	} {
		all := codec.Default().Clone()
		c, _ := all.Lookup("zstd")
		restart := c.Restart
		c.Restart = func(src io.Reader, p codec.Point, opts *codec.Options) (codec.Decoder, error) {
			d, err := restart(src, p, opts)
			if err != nil || p.Decoded > 0 { // of the lane
				return d, err
			}
			return wrap(d), nil
		}
		all.Register(c)
		got := newCollector()
		_, err := stream.Backfill(t.Context(), store(t, map[string][]byte{"a.ndjson.zst": stored}).List(nil), stream.SinkFunc(got.write),
			&stream.Options{Lanes: 1, Workers: 3, Read: stream.ReadOptions{Codecs: all}})
		if err != nil || !slices.Equal(got.records["a.ndjson.zst"], lines(data)) {
			t.Errorf("%s: got %v, %d records, want %d", why, err, len(got.records["a.ndjson.zst"]), len(lines(data)))
		}
	}
}
