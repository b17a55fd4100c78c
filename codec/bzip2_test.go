package codec_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/codec/codectest"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

func encodeBzip2(data []byte) []byte { return corpus.Bzip2{Level: 1}.Encode(data) }

func TestBzip2Conformance(t *testing.T) {
	t.Parallel()
	codectest.Run(t, lookup(t, "bzip2"), codectest.Format{
		Encode:       encodeBzip2,
		Concatenates: true,
		Checksummed:  true,
		Vectors: []codectest.Vector{{
			Name:    "blocks",
			Stored:  corpus.Bzip2{Level: 1, Block: 5_000}.Encode(corpus.NDJSONBytes(1, 100)),
			Decoded: corpus.NDJSONBytes(1, 100),
		}, {
			Name:    "randomised",
			Stored:  corpus.Bzip2{Randomised: true}.Encode(corpus.NDJSONBytes(1, 5)),
			Decoded: corpus.NDJSONBytes(1, 5),
		}},
	})
}

// Text may begin like bzip2 data, up to and with the level.
func TestBzip2Magic(t *testing.T) {
	t.Parallel()
	c := lookup(t, "bzip2")
	const block, end = "\x31\x41\x59\x26\x53\x59", "\x17\x72\x45\x38\x50\x90"
	cases := []struct {
		head string
		want codec.Match
	}{
		{"", codec.NeedMore},
		{"B", codec.NeedMore},
		{"BZh", codec.NeedMore},
		{"BZ2", codec.NoMatch},
		{"BZh0", codec.NoMatch}, // no such level
		{"BZh9", codec.NeedMore},
		{"BZh: a word", codec.NoMatch},
		{"BZh9 is text", codec.NoMatch},
		{"BZh1" + block, codec.Matched},
		{"BZh9" + end, codec.Matched}, // an empty stream
		{"BZh9" + block[:5], codec.NeedMore},
		{"BZh9" + end[:5] + "!", codec.NoMatch},
		{"BZh0" + block, codec.NoMatch},
	}
	for _, c2 := range cases {
		if got := c.Magic([]byte(c2.head), false); got != c2.want {
			t.Errorf("%q: got %v, want %v", c2.head, got, c2.want)
		}
	}
}

func TestBzip2StreamsAndWhatFollows(t *testing.T) {
	t.Parallel()
	a, b, empty := encodeBzip2([]byte("first\n")), encodeBzip2([]byte("second\n")), encodeBzip2(nil)
	cases := []struct {
		name  string
		parts [][]byte
		want  string
		err   error
	}{
		{"two streams", [][]byte{a, b}, "first\nsecond\n", nil},
		{"empty ones first, between and last", [][]byte{empty, a, empty, b, empty}, "first\nsecond\n", nil},
		{"only an empty one", [][]byte{empty}, "", nil},
		{"zeros behind", [][]byte{a, {0, 0}}, "first\n", codec.ErrTrailing},
		{"text that begins like a stream", [][]byte{a, []byte("BZh9 text")}, "first\n", codec.ErrTrailing},
		{"the header of a second stream alone", [][]byte{a, b[:4]}, "first\n", io.ErrUnexpectedEOF},
		{"the first letter of a second stream", [][]byte{a, b[:1]}, "first\n", io.ErrUnexpectedEOF},
		{"no stream", [][]byte{[]byte("plain text")}, "", codec.ErrCorrupt},
		{"nothing", nil, "", io.ErrUnexpectedEOF},
	}
	for _, c := range cases {
		var got bytes.Buffer
		err := decodeTo(&got, lookup(t, "bzip2"), bytes.Join(c.parts, nil), nil)
		if !errors.Is(err, c.err) || got.String() != c.want {
			t.Errorf("%s: got %q and %v, want %q and %v", c.name, got.String(), err, c.want, c.err)
		}
	}
}

func TestBzip2WindowLimit(t *testing.T) {
	t.Parallel()
	stored := corpus.Bzip2{Level: 9}.Encode([]byte("data"))
	opts := &codec.Options{MaxWindow: 800_000}
	var limit *codec.LimitError
	err := decodeTo(io.Discard, lookup(t, "bzip2"), stored, opts)
	if !errors.As(err, &limit) || limit.Needed != 900_000 || limit.Allowed != 800_000 {
		t.Errorf("got %v, want a limit of 800000 where 900000 are needed", err)
	}
}

// Units are found wherever a border of the search falls.
func TestBzip2SplitFindsEveryStream(t *testing.T) {
	t.Parallel()
	c := lookup(t, "bzip2")
	stream := encodeBzip2([]byte("a stream of its own\n"))
	big := corpus.Bzip2{}.Encode(corpus.NoiseBytes(1, 300_000))
	for shift := range 12 {
		// big ends shift bytes around a multiple of the search's step.
		var stored []byte
		var starts []int64
		add := func(b []byte) { starts = append(starts, int64(len(stored))); stored = append(stored, b...) }
		for len(stored)+len(stream) < 256<<10-shift {
			add(stream)
		}
		add(big)
		add(stream)
		i := 0
		for u, err := range c.Split(bytes.NewReader(stored), int64(len(stored))) {
			if err != nil {
				t.Fatal(err)
			}
			if i == len(starts) || u.Offset != starts[i] {
				t.Fatalf("unit %d: got offset %d, want %v", i, u.Offset, starts[min(i, len(starts)-1)])
			}
			i++
		}
		if i != len(starts) {
			t.Errorf("got %d units, want %d", i, len(starts))
		}
	}
}
