package codec_test

import (
	"bytes"
	"testing"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// Text may begin with the letters of a magic.
func TestDetectText(t *testing.T) {
	t.Parallel()
	for _, head := range []string{
		"LZIP", "LZIP files are small\n", "LZIP\n", "LZIP\tx\n", "LZIP  ",
		"LZ4Block", "LZ4Block \n", "LZ4Block streams are written by lz4-java\n", "LZ4Block(a, b, c, d, e)\n", "LZ4Block\n\n\n\n\n\n\n\n\n\n\n\n",
		"BZh", "BZh9", "BZh91AY and so on\n", "BZip\n", "PAR1 is a magic\n", "\x04\"M", "SNAPPY\n",
	} {
		for _, key := range []string{"a", "a.txt"} {
			d, err := codec.Default().Detect([]byte(head), true, codec.Hints{Key: key})
			if err != nil || d.Codec != "none" || d.Evidence != codec.ByDefault {
				t.Errorf("%q of %s: got %+v, %v; want none", head, key, d, err)
			}
		}
	}
}

// The header of a format that text may begin like is known from its further bytes,
// also where one of them is damaged.
func TestDetectHeaders(t *testing.T) {
	t.Parallel()
	for name, magic := range map[string]int{"lzip": 4, "lz4-java": 8} {
		stored := encoded(t, name, corpus.NDJSONBytes(1, 50))
		c := lookup(t, name)
		for n := 1; n <= magic; n++ {
			if got := c.Magic(stored[:n], false); got != codec.NeedMore {
				t.Errorf("%s: %d bytes: got %d, want NeedMore", name, n, got)
			}
		}
		for at := magic + 1; at < magic+9; at++ {
			for bit := range 8 {
				damaged := bytes.Clone(stored)
				damaged[at] ^= 1 << bit
				if d, err := codec.Default().Detect(damaged, true, codec.Hints{}); err != nil || d.Codec != name {
					t.Errorf("%s: bit %d of byte %d: got %+v, %v", name, bit, at, d, err)
				}
			}
		}
	}
}

// encoded is data in a format that corpus may not write.
func encoded(t *testing.T, name string, data []byte) []byte {
	t.Helper()
	switch name {
	case "lzip":
		return encodeLZIP(data)
	case "lz4-java":
		return lz4JavaStream(t, data, 1000)
	}
	stored, err := corpus.Encode(name, data)
	if err != nil {
		t.Fatal(err)
	}
	return stored
}
