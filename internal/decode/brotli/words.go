package brotli

import (
	"bufio"
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"sync"

	"github.com/thaw-go/thaw/internal/decode/fault"
	"github.com/thaw-go/thaw/internal/decode/inflate"
)

const (
	wordsSize      = 122_784
	minWord        = 4
	maxWord        = 24
	transformCount = 121
	transformsSize = 648
	maxAffix       = 8 // bytes of the longest prefix, and of the longest suffix
)

// wordBits are, for each length, the bits of the number of words.
var wordBits = [maxWord + 1]uint8{4: 10, 10, 11, 11, 10, 10, 10, 10, 10, 9, 9, 8, 7, 7, 8, 7, 7, 6, 6, 5, 5}

// wordsFile is the dictionary of RFC 7932, Appendix A, and after it the
// transforms of Appendix B, each a prefix, a zero, its kind, a suffix and a zero:
// what the check values there are of. It is deflated. TestWordsFile -update makes
// it.
//
//go:embed words.deflate
var wordsFile []byte

// dictionary are words by length and number, and what may be made of them.
type dictionary struct {
	all        []byte
	start      [maxWord + 1]int // of the words of a length
	transforms [transformCount]transform
}

// transform makes data of a word.
type transform struct {
	prefix, suffix []byte
	kind           uint8
}

// The kinds of transforms, as the check value of Appendix B numbers them. Those
// between leave out so many bytes as they are above the one before their series.
const (
	fermentFirst = 1
	fermentAll   = 2
	omitFirst    = 2 + 1 // 1 to 9 bytes
	omitLast     = 11 + 1
	kinds        = omitLast + 9
)

// words is the dictionary, inflated once.
var words = sync.OnceValue(func() *dictionary {
	r := inflate.NewReader(bufio.NewReader(bytes.NewReader(wordsFile)))
	all := make([]byte, wordsSize+transformsSize)
	if _, err := io.ReadFull(r, all); err != nil {
		panic(fmt.Sprintf("internal error: dictionary of brotli: %v", err))
	}
	d := &dictionary{all: all[:wordsSize:wordsSize]}
	at := 0
	for l := minWord; l <= maxWord; l++ {
		d.start[l] = at
		at += l << wordBits[l]
	}
	rest := all[wordsSize:]
	next := func() []byte {
		s, after, _ := bytes.Cut(rest, []byte{0})
		rest = after
		return s
	}
	for i := range d.transforms {
		t := &d.transforms[i]
		t.prefix = next()
		t.kind, rest = rest[0], rest[1:]
		t.suffix = next()
	}
	return d
})

// appendWord appends what a number beyond the data stands for, to copy n bytes.
func (d *dictionary) appendWord(to []byte, number uint, n int) ([]byte, error) {
	if n < minWord || n > maxWord {
		return to, fault.Corruptf("distance beyond the data, and no word is so long")
	}
	which := number & (1<<wordBits[n] - 1)
	kind := number >> wordBits[n]
	if kind >= transformCount {
		return to, fault.Corruptf("distance beyond the data and the dictionary")
	}
	word := d.all[d.start[n]+int(which)*n:][:n]
	return d.transforms[kind].append(to, word), nil
}

func (t *transform) append(to, word []byte) []byte {
	to = append(to, t.prefix...)
	switch k := int(t.kind); {
	case k >= omitLast:
		word = word[:max(len(word)-(k-omitLast+1), 0)]
	case k >= omitFirst:
		word = word[min(len(word), k-omitFirst+1):]
	}
	at := len(to)
	to = append(to, word...)
	switch t.kind {
	case fermentFirst:
		ferment(to[at:])
	case fermentAll:
		for w := to[at:]; len(w) > 0; {
			w = w[ferment(w):]
		}
	}
	return append(to, t.suffix...)
}

// ferment changes the case of the first character of w, in a manner that does for
// some scripts, and returns its size.
func ferment(w []byte) int {
	switch {
	case w[0] < 192:
		if w[0] >= 'a' && w[0] <= 'z' {
			w[0] ^= 32
		}
		return 1
	case w[0] < 224:
		if len(w) > 1 {
			w[1] ^= 32
		}
		return min(2, len(w))
	}
	if len(w) > 2 {
		w[2] ^= 5
	}
	return min(3, len(w))
}
