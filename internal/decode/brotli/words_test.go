package brotli_test

import (
	"bytes"
	"compress/flate"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"testing"

	"github.com/andybalholm/brotli"
)

var update = flag.Bool("update", false, "write words.deflate anew")

// wordBits are, for each length, the bits of the number of words, RFC 7932
// section 8.
var wordBits = [26]int{4: 10, 10, 11, 11, 10, 10, 10, 10, 10, 9, 9, 8, 7, 7, 8, 7, 7, 6, 6, 5, 5}

const transforms = 121

// wordStream is a stream of size bytes and of one command, that copies the word of
// such a length and number, changed by a transform.
func wordStream(length, number, transform, size int) []byte {
	symbol, extra, n := distance(1 + number + transform<<wordBits[length])
	w := stream().coded(true, size).plain().simple(ofLiterals, 0)
	command, more, k := copyOnly(length)
	w.simple(ofCommands, command).simple(ofDistances, symbol)
	return w.num(more, k).num(extra, n).out
}

// copyOnly is the command that inserts nothing and copies n bytes, 2 to 69, and the
// bits after its symbol.
func copyOnly(n int) (symbol, extra, bits int) {
	base := 2
	for code := 0; ; code++ {
		if code >= 8 {
			bits = (code - 6) / 2
		}
		if n < base+1<<bits {
			if code < 8 {
				return 128 + code, n - base, bits
			}
			return 192 + code - 8, n - base, bits
		}
		base += 1 << bits
	}
}

// aWord is what a transform makes of a word.
type aWord func(length, number, transform int) []byte

// reference gives words as the library decodes them. How long one is becomes known
// by trial: a stream of another size is an error.
func reference() aWord {
	r := brotli.NewReader(nil)
	return func(length, number, transform int) []byte {
		size := 1
		if transform == 0 {
			size = length
		}
		for ; size < 64; size++ {
			r.Reset(bytes.NewReader(wordStream(length, number, transform, size)))
			if got, err := io.ReadAll(r); err == nil {
				return got
			}
		}
		return nil
	}
}

// makeWords makes what words.deflate holds: each word as a decoder gives it, and
// transforms as they show in what becomes of two words that have no byte in common.
func makeWords(t *testing.T) []byte {
	t.Helper()
	word := reference()
	var all []byte
	for length := 4; length <= 24; length++ {
		for number := range 1 << wordBits[length] {
			w := word(length, number, 0)
			if len(w) != length {
				t.Fatalf("word %d of %d bytes: got %q", number, length, w)
			}
			all = append(all, w...)
		}
	}
	const length = 12
	one, two := differing(t, word, length)
	for i := range transforms {
		a, b := word(length, one, i), word(length, two, i)
		all = append(all, describe(t, a, b, word(length, one, 0))...)
	}
	return all
}

// differing finds two words of lower-case letters that differ in every place.
func differing(t *testing.T, word aWord, length int) (one, two int) {
	t.Helper()
	lower := func(w []byte) bool {
		for _, c := range w {
			if c < 'a' || c > 'z' {
				return false
			}
		}
		return len(w) == length
	}
	for one = range 1 << wordBits[length] {
		a := word(length, one, 0)
		for two = range 1 << wordBits[length] {
			b := word(length, two, 0)
			if !lower(a) || !lower(b) {
				continue
			}
			same := false
			for i := range a {
				same = same || a[i] == b[i] || a[i]&31 == b[i]&31
			}
			if !same {
				return one, two
			}
		}
	}
	t.Fatal("no two words differ in every place")
	return 0, 0
}

// describe is the transform that made a of word, and b of another, as the check
// value of RFC 7932, Appendix B, has it.
func describe(t *testing.T, a, b, word []byte) []byte {
	t.Helper()
	prefix := 0
	for prefix < min(len(a), len(b)) && a[prefix] == b[prefix] {
		prefix++
	}
	suffix := 0
	for suffix < min(len(a), len(b))-prefix && a[len(a)-1-suffix] == b[len(b)-1-suffix] {
		suffix++
	}
	made := a[prefix : len(a)-suffix]
	for kind := range 21 {
		want := word
		switch {
		case kind == 1:
			want = append(bytes.ToUpper(word[:1]), word[1:]...)
		case kind == 2:
			want = bytes.ToUpper(word)
		case kind >= 12:
			want = word[:len(word)-(kind-11)]
		case kind >= 3:
			want = word[kind-2:]
		}
		if bytes.Equal(made, want) {
			return fmt.Appendf(nil, "%s\x00%c%s\x00", a[:prefix], kind, a[len(a)-suffix:])
		}
	}
	t.Fatalf("%q of %q is no transform that is known", a, word)
	return nil
}

// TestWordsFile holds the dictionary and the transforms to the check values of RFC
// 7932, and to what the library decodes. With -update it writes them:
//
//	go test ./internal/decode/brotli -run TestWordsFile -update
func TestWordsFile(t *testing.T) {
	want := makeWords(t)
	const size = 122_784
	for _, part := range []struct {
		what  string
		bytes []byte
		size  int
		sum   uint32
	}{
		{"dictionary", want[:size], size, 0x5136cb04},
		{"transforms", want[size:], 648, 0x3d965f81},
	} {
		if sum := crc32.ChecksumIEEE(part.bytes); sum != part.sum || len(part.bytes) != part.size {
			t.Errorf("%s: got %d bytes of CRC-32 %08x, want %d of %08x", part.what, len(part.bytes), sum, part.size, part.sum)
		}
	}
	const name = "words.deflate"
	if *update {
		var b bytes.Buffer
		w, _ := flate.NewWriter(&b, flate.BestCompression)
		w.Write(want)
		w.Close()
		if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := io.ReadAll(flate.NewReader(f)); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s: got %d bytes that differ from those decoded, and %v", name, len(got), err)
	}
}
