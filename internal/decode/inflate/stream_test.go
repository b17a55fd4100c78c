package inflate_test

import (
	"fmt"
	"strings"
	"testing"
)

// stream is a hand-made stream for the reason in its name.
type stream struct {
	name string
	data []byte
	want string // what is decoded; only the oracle knows it if empty
	err  error
}

func streams() []stream {
	w := func() *bitWriter { return new(bitWriter) }
	// ends has the end of the block and two literals, in short codes.
	ends := steep(257, 'a', 'b', 256)
	twoDists := []int{1, 1}
	far := make([]int, 30)
	far[0], far[29] = 1, 1
	noise := noisy(70000)
	return []stream{
		{"nothing", nil, "", errTruncated},
		{"empty stored", w().stored(true, "").out, "", nil},
		{"empty fixed", w().fixed(true).end().out, "", nil},
		{"empty dynamic", w().dynamic(true, ends, twoDists).end().out, "", nil},
		{"stored", w().stored(false, "ab").stored(true, "cd").out, "abcd", nil},
		{"largest stored", w().stored(true, noise[:65535]).out, noise[:65535], nil},
		{"stored after bits", w().fixed(false).lits("x").end().stored(true, "yz").out, "xyz", nil},
		{"stored with a bad complement", w().begin(true, 0).align().num(5, 16).num(5, 16).out, "", errCorrupt},
		{"stored of no bytes with a bad complement", w().begin(true, 0).align().num(0, 32).out, "", errCorrupt},
		{"padding before stored is not looked at", w().begin(true, 0).num(31, 5).num(1, 16).num(0xfffe, 16).num('q', 8).out, "q", nil},
		{"reserved type", w().begin(true, 3).num(0, 32).out, "", errCorrupt},
		{"all fixed literals", w().fixed(true).lits(bytes256()).end().out, bytes256(), nil},
		{"fixed length 286", w().fixed(true).sym(286).num(0, 32).out, "", errCorrupt},
		{"fixed length 287", w().fixed(true).lits("ab").sym(287).num(0, 32).out, "ab", errCorrupt},
		{"fixed distance 30", w().fixed(true).lits("ab").sym(257).code(30, 5).num(0, 32).out, "ab", errCorrupt},
		{"fixed distance 31", w().fixed(true).lits("ab").sym(257).code(31, 5).num(0, 32).out, "ab", errCorrupt},
		{"distance 1", w().fixed(true).lits("a").match(258, 1).end().out, strings.Repeat("a", 259), nil},
		{"distance before the start", w().fixed(true).lits("a").match(3, 2).end().num(0, 64).out, "a", errCorrupt},
		{"distance before the start, at once", w().fixed(true).match(3, 1).end().num(0, 64).out, "", errCorrupt},
		{"distance to the start", w().fixed(true).lits("ab").match(4, 2).end().out, "ababab", nil},
		{"distance 32768", w().stored(false, noise[:32768]).fixed(true).match(258, 32768).end().out, noise[:32768] + noise[:258], nil},
		{"distance 32768 with one byte less", w().stored(false, noise[:32767]).fixed(true).match(3, 32768).end().num(0, 64).out, noise[:32767], errCorrupt},
		{"distance 32768 over the window's edge", w().stored(false, noise[:40000]).fixed(true).match(258, 32768).match(3, 32768).end().out,
			noise[:40000] + noise[7232:7493], nil},
		{"one distance of one bit", w().dynamic(true, flat(286), []int{1}).lits("z").match(9, 1).end().out, strings.Repeat("z", 10), nil},
		{"one distance of one bit, the other bit", w().dynamic(true, flat(286), []int{1}).lits("z").sym(257).num(1, 1).num(0, 64).out, "z", errCorrupt},
		{"one distance of two bits", w().dynamic(true, flat(286), []int{2}).num(0, 64).out, "", errCorrupt},
		{"no distances", w().dynamic(true, flat(286), []int{0}).lits("z").end().out, "z", nil},
		{"no distances, and one is used", w().dynamic(true, flat(286), []int{0}).lits("z").sym(257).num(0, 64).out, "z", errCorrupt},
		{"no distances, and one is used at the last bit", w().dynamic(true, flat(286), []int{0}).lits("z").sym(257).out, "z", errCorrupt},
		{"two distances of two bits", w().dynamic(true, flat(286), []int{2, 2}).num(0, 64).out, "", errCorrupt},
		{"three distances of one bit", w().dynamic(true, flat(286), []int{1, 1, 1}).num(0, 64).out, "", errCorrupt},
		{"only the end of the block", w().dynamic(true, steep(257, 256, 256), twoDists).sym(256).out, "", nil},
		{"only the end of the block, the other bit", w().dynamic(true, oneCode(257, 256), twoDists).num(1, 1).num(0, 64).out, "", errCorrupt},
		{"only a literal, no end", w().dynamic(true, oneCode(257, 'k'), twoDists).num(0, 9).out, "", errTruncated},
		{"no literals at all", w().dynamic(true, make([]int, 257), twoDists).num(0, 64).out, "", errCorrupt},
		{"no end of the block", w().dynamic(true, steep(257, 'a', 'b', 'c'), twoDists).num(0, 7).out, "", errTruncated},
		{"incomplete lengths", w().dynamic(true, steep(257, 'a', 'b', 256, 'c')[:257:257], twoDists).end().out, "", nil},
		{"286 lengths, 30 distances", w().dynamic(true, flat(286), flat(30)).lits("abcd").match(11, 4).match(258, 1).end().out, "", nil},
		{"287 lengths", w().begin(true, 2).num(30, 5).num(0, 9).num(0, 64).out, "", errCorrupt},
		{"288 lengths", w().begin(true, 2).num(31, 5).num(0, 9).num(0, 64).out, "", errCorrupt},
		{"31 distances", w().begin(true, 2).num(0, 5).num(30, 5).num(0, 4).num(0, 64).out, "", errCorrupt},
		{"32 distances", w().begin(true, 2).num(0, 5).num(31, 5).num(0, 4).num(0, 64).out, "", errCorrupt},
		{"codes of 15 bits", w().dynamic(true, steep(286, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 284, 285, 256), steep(30, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 29)).
			lits("abcdefghijklm").match(258, 1).match(230, 2).match(257, 13).end().out, "", nil},
		{"the longest symbol: 15+5+15+13 bits", func() []byte {
			b := w().stored(false, noise[:32768]).dynamic(true, steep(286, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 256, 285, 284), steep(30, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 29))
			for i := range 50 {
				b.match(257, 32768-i).lits("mkab"[:i%5%4])
			}
			return b.end().out
		}(), "", nil},
		{"over-subscribed lengths", w().dynamic(true, append(slicesOf(257, 8), 1), twoDists).num(0, 64).out, "", errCorrupt},
		{"no lengths of lengths", w().begin(true, 2).num(0, 10).num(0, 4).num(0, 12).num(0, 64).out, "", errCorrupt},
		{"a repeat before the first length", w().begin(true, 2).num(0, 10).num(0, 4).num(1, 3).num(1, 3).num(0, 6).num(0, 64).out, "", errCorrupt},
		{"one length of lengths, the other bit", w().begin(true, 2).num(0, 10).num(0, 4).num(0, 9).num(1, 3).num(1, 1).num(0, 64).out, "", errCorrupt},
		{"all lengths zero by repeats", w().begin(true, 2).num(0, 10).num(0, 4).num(0, 6).num(1, 3).num(0, 3).code(0, 1).num(127, 7).code(0, 1).num(109, 7).num(0, 64).out, "", errCorrupt},
		{"a repeat beyond the last length", w().begin(true, 2).num(0, 10).num(0, 4).num(0, 6).num(1, 3).num(0, 3).code(0, 1).num(127, 7).code(0, 1).num(110, 7).num(0, 64).out, "", errCorrupt},
		{"lengths 3 to 258 at distances 1 to 40", func() []byte {
			b := w().stored(false, noise[:100]).fixed(true)
			for l := 3; l <= 258; l++ {
				b.match(l, l%40+1)
			}
			return b.end().out
		}(), "", nil},
		{"far distances in a steep code", w().stored(false, noise[:32768]).dynamic(true, flat(286), far).match(258, 32768).match(3, 24577).match(4, 1).end().out, "", nil},
	}
}

// TestStreams decodes every hand-made stream.
func TestStreams(t *testing.T) {
	t.Parallel()
	for _, c := range streams() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDecoders()
			d.check(t, c.data)
			got, _, err := d.decode(c.data)
			if cause(err) != c.err {
				t.Errorf("got %v, want %v", err, c.err)
			}
			if c.want != "" && string(got) != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestMatches copies every length at every short distance, and at the edges of
// the long ones, at the start and past the first window.
func TestMatches(t *testing.T) {
	t.Parallel()
	noise := noisy(40000)
	for _, before := range []int{64, 32767, 32768, 40000} {
		t.Run(fmt.Sprint(before), func(t *testing.T) {
			t.Parallel()
			for _, dist := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 255, 256, 257, 258, 259, 32766, 32767, 32768} {
				if dist > before {
					continue
				}
				b := new(bitWriter).stored(false, noise[:before]).fixed(true)
				want := []byte(noise[:before])
				for length := 3; length <= 258; length++ {
					b.match(length, dist)
					b.lits("xy")
					for range length {
						want = append(want, want[len(want)-dist])
					}
					want = append(want, "xy"...)
				}
				got, _, err := newDecoders().decode(b.end().out)
				if err != nil || string(got) != string(want) {
					t.Errorf("distance %d: got %d bytes and %v, want %d; first difference at %d", dist, len(got), err, len(want), difference(got, want))
				}
			}
		})
	}
}
