package codec_test

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"slices"
	"testing"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// A point lies after each block and after each stream, at whatever bit it is.
func TestBzip2RestartsAtBlocks(t *testing.T) {
	t.Parallel()
	data := corpus.NoiseBytes(3, 4000)
	const size, streams = 100, 3
	one := corpus.Bzip2{Level: 1, Block: size}.Encode(data)
	stored := bytes.Repeat(one, streams)
	points, _, err := checkPoints(t, "bzip2", stored, 7, new(codec.Options))
	if err != nil {
		t.Fatal(err)
	}
	blocks, atBit := 0, [8]bool{}
	for _, p := range points {
		if p.State != nil {
			blocks++
			atBit[p.State[2]] = true
		}
	}
	if least := streams * len(data) / size; blocks < least || len(points)-blocks != streams {
		t.Errorf("got %d points after blocks and %d after streams, want at least %d and %d", blocks, len(points)-blocks, least, streams)
	}
	if slices.Contains(atBit[:], false) {
		t.Errorf("got no block at some bit of a byte: %v", atBit)
	}
	// At any place the last point is no further away than a block.
	for i := 1; i < len(points); i++ {
		if n := points[i].Decoded - points[i-1].Decoded; n > size {
			t.Errorf("got %d decoded bytes between two points, a block has at most %d", n, size)
		}
	}
}

// A restarted Decoder passes the points that the first one passed after its own, and all
// of them when it is reset to the start before it read anything.
func TestBzip2RestartsAgain(t *testing.T) {
	t.Parallel()
	one := corpus.Bzip2{Level: 1, Block: 60}.Encode(corpus.NDJSONBytes(3, 5))
	stored := append(one, one...)
	points, _, _ := checkPoints(t, "bzip2", stored, 9, new(codec.Options))
	for i, p := range points {
		got, _, err := passing(t, restartAt(t, "bzip2", stored, p, new(codec.Options)), p.Decoded, 9)
		if err != nil || !reflect.DeepEqual(got, points[i:]) {
			t.Fatalf("from point %d on: got points %+v, %v; want %+v", i, got, err, points[i:])
		}
		d := restartAt(t, "bzip2", stored, p, new(codec.Options))
		if err := d.Reset(bytes.NewReader(stored)); err != nil {
			t.Fatal(err)
		}
		if got, _, err := passing(t, d, 0, 9); err != nil || !reflect.DeepEqual(got, points) {
			t.Fatalf("reset from point %d: got points %+v, %v; want %+v", i, got, err, points)
		}
	}
}

// What lies after the points is cut anywhere, or any third bit of it flipped.
func TestBzip2RestartFindsDamage(t *testing.T) {
	t.Parallel()
	stored := corpus.Bzip2{Level: 1, Block: 40, Trees: 2}.Encode(corpus.NDJSONBytes(3, 1))
	for n := range stored {
		checkPoints(t, "bzip2", stored[:n], 16, new(codec.Options))
	}
	for bit := 0; bit < 8*len(stored); bit += 3 {
		flipped := bytes.Clone(stored)
		flipped[bit/8] ^= 0x80 >> (bit % 8)
		checkPoints(t, "bzip2", flipped, 16, new(codec.Options))
		checkPoints(t, "bzip2", flipped, 16, &codec.Options{SkipChecksums: true})
	}
}

// The state carries the checksum of the stream: another one is noticed at its end.
func TestBzip2RestartVerifiesTheStream(t *testing.T) {
	t.Parallel()
	stored := corpus.Bzip2{Level: 1, Block: 50}.Encode(corpus.NDJSONBytes(3, 2))
	points, want, _ := checkPoints(t, "bzip2", stored, 16, new(codec.Options))
	for _, p := range points[:len(points)-1] {
		p.State = bytes.Clone(p.State)
		p.State[6] ^= 1
		got, err := io.ReadAll(restartAt(t, "bzip2", stored, p, new(codec.Options)))
		if !errors.Is(err, codec.ErrChecksum) || !bytes.Equal(got, want[p.Decoded:]) {
			t.Errorf("restart at %d with another checksum: got %d bytes, %v; want %d, ErrChecksum", p.Stored, len(got), err, len(want)-int(p.Decoded))
		}
	}
}

// States that no Decoder returned, and limits of whoever restarts.
func TestBzip2RestartRefuses(t *testing.T) {
	t.Parallel()
	stored := corpus.Bzip2{Level: 9, Block: 50}.Encode(corpus.NDJSONBytes(3, 2))
	points, _, _ := checkPoints(t, "bzip2", stored, 16, new(codec.Options))
	p := points[0]
	refused := errors.New("no memory")
	for _, tc := range []struct {
		why   string
		state []byte
		opts  codec.Options
		want  error
	}{
		{"no bytes", []byte{}, codec.Options{}, codec.ErrCorrupt},
		{"cut", p.State[:6], codec.Options{}, codec.ErrCorrupt},
		{"too long", append(bytes.Clone(p.State), 0), codec.Options{}, codec.ErrCorrupt},
		{"level 0", []byte{1, 0, 0, 0, 0, 0, 0}, codec.Options{}, codec.ErrCorrupt},
		{"level 10", []byte{1, 10, 0, 0, 0, 0, 0}, codec.Options{}, codec.ErrCorrupt},
		{"8 bits to skip", []byte{1, 9, 8, 0, 0, 0, 0}, codec.Options{}, codec.ErrCorrupt},
		{"a later form", []byte{2, 9, 0, 0, 0, 0, 0}, codec.Options{}, codec.ErrUnsupported},
		{"another bit", append([]byte{1, 9, (p.State[2] + 1) % 8}, p.State[3:]...), codec.Options{}, codec.ErrCorrupt},
		{"a smaller window", p.State, codec.Options{MaxWindow: 800_000}, codec.ErrLimit},
		{"memory refused", p.State, codec.Options{Grow: func(int64) error { return refused }}, refused},
	} {
		q := p
		q.State = tc.state
		d, err := lookup(t, "bzip2").Restart(bytes.NewReader(stored[q.Stored:]), q, &tc.opts)
		if err == nil {
			_, err = d.Read(make([]byte, 1))
			d.Close()
		}
		if !errors.Is(err, tc.want) {
			t.Errorf("%s: got %v, want %v", tc.why, err, tc.want)
		}
	}
}

// FuzzBzip2Restart resumes at every point of an object of small blocks that is cut, or of
// which a bit is flipped.
func FuzzBzip2Restart(f *testing.F) {
	f.Add([]byte(text), uint8(0), uint16(0), uint16(0))
	f.Add([]byte(text), uint8(30), uint16(500), uint16(0))
	f.Add([]byte("aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbbbb"), uint8(3), uint16(0), uint16(70))
	f.Fuzz(func(t *testing.T, data []byte, block uint8, bit, cut uint16) {
		data = data[:min(len(data), 2<<10)]
		stored := corpus.Bzip2{Level: 1, Block: 5 + int(block), Trees: 2}.Encode(data)
		stored = append(stored, stored...)
		if bit > 0 {
			stored[int(bit)/8%len(stored)] ^= 0x80 >> (bit % 8)
		}
		if cut > 0 {
			stored = stored[:int(cut)%len(stored)]
		}
		checkPoints(t, "bzip2", stored, 1+int(block)%50, &codec.Options{MaxDecoded: fuzzLimit})
	})
}
