package codec_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"

	"github.com/thaw-go/thaw/codec"
)

// TestDisguised: a chunk whose type says that it may be skipped and that reads as
// data is looked at, within a budget that files do not reach.
func TestDisguised(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	id := []byte("\xff\x06\x00\x00S2sTwO")
	wrap := func(kind byte, body []byte) []byte {
		n := len(body)
		return append([]byte{kind, byte(n), byte(n >> 8), byte(n >> 16)}, body...)
	}
	zeros := append([]byte{1, 2, 3, 4}, s2.EncodeBest(nil, make([]byte, 4<<20))...)
	var random []byte
	for range 3000 {
		body := make([]byte, 4+r.IntN(60))
		for i := range body {
			body[i] = byte(r.Uint32())
		}
		random = append(random, wrap(0x80|byte(r.IntN(2)), body)...)
	}
	stream := s2Stream([]byte(text))[len(id):]
	for _, tc := range []struct {
		why    string
		stored []byte
		opts   codec.Options
		want   error
		most   int64 // stored bytes until the error
	}{
		{"what is no data", join(id, random, stream), codec.Options{}, nil, 0},
		{"one that reads as data", join(id, wrap(0x80, zeros), stream), codec.Options{}, nil, 0},
		{"thousands that read as 4 MiB", join(id, bytes.Repeat(wrap(0x80, zeros), 4000), stream), codec.Options{}, codec.ErrLimit, 1 << 10},
		{"one of more than the window", join(id, wrap(0x80, zeros), stream), codec.Options{MaxWindow: 1 << 20}, codec.ErrLimit, 1 << 10},
		{"a length that lies", join(id, bytes.Repeat(wrap(0x80, append(zeros[:8:8], 0, 'a')), 4000), stream), codec.Options{}, nil, 0},
		{"data", join(id, wrap(0x80|stream[0], stream[4:]), stream), codec.Options{}, codec.ErrCorrupt, 1 << 10},
	} {
		got, err := io.ReadAll(decoder(t, "s2", tc.stored, &tc.opts))
		var e *codec.Error
		switch {
		case tc.want == nil:
			if err != nil || string(got) != text {
				t.Errorf("%s: got %d bytes and %v, want the text", tc.why, len(got), err)
			}
		case !errors.Is(err, tc.want) || !errors.As(err, &e) || e.StoredOffset > tc.most:
			t.Errorf("%s: got %v, want %v within %d bytes", tc.why, err, tc.want, tc.most)
		}
	}
}

// TestS2Whole: the lengths of elements add up exactly where the library decodes the
// block.
func TestS2Whole(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 2))
	whole := 0
	for i := range 30_000 {
		data := []byte(strings.Repeat(text, 1+r.IntN(40)))
		for range r.IntN(30) {
			data[r.IntN(len(data))] = byte(r.IntN(4))
		}
		encode := [](func(dst, src []byte) []byte){s2.Encode, s2.EncodeBetter, s2.EncodeBest, s2.EncodeSnappy}[i%4]
		b := encode(nil, data)
		if i%3 > 0 {
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		}
		if i%7 == 0 {
			b = b[:r.IntN(len(b))]
		}
		n, err := s2.DecodedLen(b)
		if err == nil && n <= 4<<20 {
			_, err = s2.Decode(nil, b)
		} else {
			err = errors.New("no length")
		}
		length, is := codec.S2Whole(b)
		if is {
			whole++
		}
		if is != (err == nil) || is && length != int64(n) {
			t.Fatalf("%x: got %v with %d bytes, the library says %v", b, is, length, err)
		}
	}
	if whole < 10_000 {
		t.Errorf("got %d whole blocks", whole)
	}
}
