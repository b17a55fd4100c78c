package codec_test

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/internal/testing/corpus/hostile"
)

// TestLZ4Moves: small linked blocks and sources that give little at a time move the
// history about once for as much as was decoded.
func TestLZ4Moves(t *testing.T) {
	t.Parallel()
	noise := corpus.NoiseBytes(1, 400_000)
	for _, o := range hostile.Objects() {
		if o.Codec != "lz4" && o.Codec != "lz4-block" {
			continue
		}
		stored := o.Make(300 << 10)
		d := decoder(t, o.Codec, stored, nil)
		decoded, _ := io.Copy(io.Discard, d)
		checkMoved(t, o.Name, o.Codec == "lz4-block", bytes.NewReader(stored), int64(len(stored))+decoded)
	}
	for why, stored := range map[string][]byte{
		"a raw block":               lz4RawOf(noise),
		"a raw block of short runs": lz4RawOf(bytes.Repeat([]byte("abcdefgh"), 50_000)),
	} {
		checkMoved(t, why, true, bytes.NewReader(stored), 400_000)
		checkMoved(t, why+", byte by byte", true, iotest.OneByteReader(bytes.NewReader(stored)), 400_000)
	}
	// Blocks whose lengths hide what they decode to: the bound of 800 bytes stored is
	// much more than what they hold.
	wide := append([]byte{0xf0, 255, 255, 255, 20}, make([]byte, 800)...)
	frame := join([]byte("\x04\x22\x4d\x18\x40\x40\xc0"), bytes.Repeat(join([]byte{37, 3, 0, 0}, wide), 500), make([]byte, 4))
	checkMoved(t, "blocks of 800 literals", false, bytes.NewReader(frame), 400_000)
}

func checkMoved(t *testing.T, why string, raw bool, src io.Reader, bytes int64) {
	t.Helper()
	moved, _ := codec.LZ4Moved(src, raw)
	if most := 2*bytes + 256<<10; moved > most {
		t.Errorf("%s: got %d bytes moved for %d, want at most %d", why, moved, bytes, most)
	}
}

// lz4RawOf is data in a raw block of literals.
func lz4RawOf(data []byte) []byte {
	n := len(data) - 15
	b := append([]byte{0xf0}, bytes.Repeat([]byte{255}, n/255)...)
	return append(append(b, byte(n%255)), data...)
}
