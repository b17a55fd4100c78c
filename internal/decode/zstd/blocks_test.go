package zstd_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/internal/decode/fault"
)

// frame joins a header that states a window of 1 KiB and blocks.
func frame(blocks ...[]byte) []byte {
	return append([]byte{0x28, 0xb5, 0x2f, 0xfd, 0, 0}, bytes.Join(blocks, nil)...)
}

// Types of blocks and of literals.
const (
	isRaw = iota
	isRLE
	isCompressed
	isTreeless
)

// single joins a header of a single segment that declares size bytes and blocks.
func single(size byte, blocks ...[]byte) []byte {
	return append([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x20, size}, bytes.Join(blocks, nil)...)
}

// block is a block; last says that none follows.
func block(last bool, typ, size int, body []byte) []byte {
	v := size<<3 | typ<<1
	if last {
		v |= 1
	}
	return append([]byte{byte(v), byte(v >> 8), byte(v >> 16)}, body...)
}

func raw(data string) []byte { return block(false, isRaw, len(data), []byte(data)) }

// packed is a compressed block, the last of its frame.
func packed(parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	return block(true, isCompressed, len(body), body)
}

// rawLiterals is a section of at most 31 literals as they are.
func rawLiterals(data string) []byte { return append([]byte{byte(len(data) << 3)}, data...) }

// huffLiterals is a section of size literals, at most 1023, in one stream or four.
func huffLiterals(typ, size int, four bool, body []byte) []byte {
	v := typ | size<<4 | len(body)<<14
	if four {
		v |= 1 << 2
	}
	return append([]byte{byte(v), byte(v >> 8), byte(v >> 16)}, body...)
}

// runs is a section of n sequences whose codes never change: each then has no bits
// but the extra ones.
func runs(n, literals, offset, match byte, bits string) []byte {
	return append([]byte{n, 0b010101 << 2, literals, offset, match}, backwards(bits)...)
}

// backwards are bits in the order in which a decoder reads them, and the mark
// before them.
func backwards(bits string) []byte {
	bits = "1" + bits
	b := make([]byte, (len(bits)+7)/8)
	for i := range bits {
		if bits[len(bits)-1-i] == '1' {
			b[i/8] |= 1 << (i % 8)
		}
	}
	return b
}

// forwards are values, each with how many bits it takes, the lowest first.
func forwards(pairs ...int) []byte {
	var b []byte
	for i, at := 0, 0; i < len(pairs); i += 2 {
		for k := range pairs[i+1] {
			if at%8 == 0 {
				b = append(b, 0)
			}
			b[at/8] |= byte(pairs[i]>>k&1) << (at % 8)
			at++
		}
	}
	return b
}

// two is a tree of literals 0 and 1 with a bit each: direct weights of one literal,
// the second follows.
var two = []byte{128, 0x10}

var none = []byte{0} // no sequences

// TestBlocks decodes blocks made by hand.
func TestBlocks(t *testing.T) {
	t.Parallel()
	const past = "offset beyond the window or the data"
	f := newFrames()
	for _, tc := range []struct {
		why    string
		stored []byte
		data   string
		reason string // of the fault; empty for none
	}{
		{"a raw block and one run", frame(raw("ab"), block(true, isRLE, 3, []byte("c"))), "abccc", ""},
		{"literals alone", frame(packed(rawLiterals("abc"), none)), "abc", ""},
		{"a run of literals", frame(packed([]byte{5<<3 | isRLE, 'x'}, none)), "xxxxx", ""},
		{"no bytes at all", frame(packed(rawLiterals(""), none)), "", ""},
		{"no sequences, in two bytes", frame(packed(rawLiterals("abc"), []byte{0x80, 0})), "abc", ""},
		{"Huffman literals", frame(packed(huffLiterals(isCompressed, 4, false, append(two, backwards("0110")...)), none)), "\x00\x01\x01\x00", ""},
		{"four streams, the last empty", frame(packed(huffLiterals(isCompressed, 6, true, bytes.Join([][]byte{two, {1, 0, 1, 0, 1, 0}, backwards("01"), backwards("10"), backwards("11"), backwards("")}, nil)), none)), "\x00\x01\x01\x00\x01\x01", ""},
		{"the first repeated offset", frame(raw("abcd"), packed(rawLiterals("e"), runs(1, 1, 0, 0, ""))), "abcdeeee", ""},
		{"the second", frame(raw("abcd"), packed(rawLiterals("e"), runs(1, 1, 1, 0, "0"))), "abcdebcd", ""},
		{"the third", frame(raw("abcdefgh"), packed(rawLiterals("i"), runs(1, 1, 1, 0, "1"))), "abcdefghibcd", ""},
		{"the second, without literals", frame(raw("abcd"), packed(rawLiterals(""), runs(1, 0, 0, 0, ""))), "abcdabc", ""},
		{"the third, without literals", frame(raw("abcdefgh"), packed(rawLiterals(""), runs(1, 0, 1, 0, "0"))), "abcdefghabc", ""},
		{"one less than the first, which was 4", frame(raw("abcd"), packed(rawLiterals(""), runs(2, 0, 1, 0, "10"))), "abcd", "offset of 0"},
		{"a new offset, then one less", frame(raw("abcd"), block(false, isCompressed, 7, bytes.Join([][]byte{rawLiterals(""), runs(1, 0, 2, 0, "11")}, nil)), packed(rawLiterals(""), runs(1, 0, 1, 0, "1"))), "abcdabcabc", ""},
		{"offset of all the data", frame(raw("abcd"), packed(rawLiterals(""), runs(1, 0, 2, 1, "11"))), "abcdabcd", ""},
		{"offset of the window", frame(raw(strings.Repeat("ab", 512)), raw("c"), packed(rawLiterals(""), runs(1, 0, 10, 0, "0000000011"))), strings.Repeat("ab", 512) + "cbab", ""},

		{"short matches in a window of 12", single(12, packed(rawLiterals("ab"), runs(2, 1, 2, 2, "0001"))), "aaaaaabababa", ""},
		{"offset beyond a window of 12", single(12, raw("abcdefghijkl"), raw("mnop"), packed(rawLiterals("qr"), runs(2, 1, 4, 0, "00110011"))), "abcdefghijklmnop", past},

		{"offset of 0", frame(raw("abcd"), packed(rawLiterals(""), runs(1, 0, 1, 0, "1"))), "abcd", "offset of 0"},
		{"offset beyond the data", frame(raw("abc"), packed(rawLiterals(""), runs(1, 0, 2, 0, "11"))), "abc", past},
		{"repeated offset beyond the data", frame(packed(rawLiterals(""), runs(1, 0, 0, 0, ""))), "", past},
		{"offset beyond the window", frame(raw(strings.Repeat("ab", 512)), raw("c"), packed(rawLiterals(""), runs(1, 0, 10, 0, "0000000100"))), strings.Repeat("ab", 512) + "c", past},
		{"offset of 4 GiB", frame(raw("abc"), packed(rawLiterals(""), runs(1, 0, 31, 0, strings.Repeat("1", 31)))), "abc", past},
		{"a bit left over", frame(raw("abcd"), packed(rawLiterals("e"), runs(1, 1, 0, 0, "0"))), "abcd", "bits of the sequences left over or missing"},
		{"a bit missing", frame(raw("abcd"), packed(rawLiterals(""), runs(1, 0, 2, 0, "1"))), "abcd", "bits of the sequences left over or missing"},
		{"many bits missing", frame(raw("abcd"), packed(rawLiterals(""), runs(120, 0, 2, 0, ""))), "abcd", "bits of the sequences left over or missing"},
		{"no bits of sequences", frame(raw("abcd"), packed(rawLiterals("e"), runs(1, 1, 0, 0, "")[:5])), "abcd", "sequences without an end mark"},
		{"no end mark", frame(raw("abcd"), packed(rawLiterals("e"), runs(1, 1, 0, 0, "")[:5], []byte{0})), "abcd", "sequences without an end mark"},
		{"more literals than there are", frame(raw("abcd"), packed(rawLiterals("e"), runs(1, 2, 0, 0, ""))), "abcd", "sequences of more literals than there are"},
		{"match beyond the block", frame(raw("abcd"), packed(rawLiterals("e"), runs(1, 1, 0, 46, strings.Repeat("1", 10)))), "abcd", "block of more bytes than allowed"},
		{"reserved bits of the modes", frame(packed(rawLiterals("e"), []byte{1, 0b01010101, 1, 0, 0, 1})), "", "reserved bits of the sequences' modes"},
		{"no table to repeat", frame(packed(rawLiterals("e"), []byte{1, 0b11010100, 0, 0, 1})), "", "no table to repeat"},
		{"code of literals that does not exist", frame(packed(rawLiterals("e"), runs(1, 36, 0, 0, ""))), "", "code of a sequence that does not exist"},
		{"code of an offset that does not exist", frame(packed(rawLiterals("e"), runs(1, 1, 32, 0, ""))), "", "code of a sequence that does not exist"},
		{"code of a match that does not exist", frame(packed(rawLiterals("e"), runs(1, 1, 0, 53, ""))), "", "code of a sequence that does not exist"},
		{"modes missing", frame(packed(rawLiterals("e"), []byte{1})), "", "sequences section cut short"},
		{"code missing", frame(packed(rawLiterals("e"), []byte{1, 0b010101 << 2, 0})), "", "sequences section cut short"},
		{"count missing", frame(packed(rawLiterals("e"))), "", "sequences section cut short"},
		{"half a count", frame(packed(rawLiterals("e"), []byte{0x80})), "", "sequences section cut short"},
		{"two thirds of a count", frame(packed(rawLiterals("e"), []byte{0xff, 0})), "", "sequences section cut short"},
		{"bytes behind no sequences", frame(packed(rawLiterals("e"), []byte{0, 0})), "", "bytes after a section of no sequences"},
		{"accuracy of 10", frame(packed(rawLiterals("e"), []byte{1, 0b10010100}, forwards(5, 4, 0, 20))), "", "accuracy of a table beyond its limit"},
		{"accuracy of 9 for offsets", frame(packed(rawLiterals("e"), []byte{1, 0b01100100, 0}, forwards(4, 4, 0, 20))), "", "accuracy of a table beyond its limit"},
		{"symbols beyond the last", frame(packed(rawLiterals("e"), []byte{1, 0b10010100}, forwards(0, 4, 1, 5, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2), make([]byte, 8))), "", "symbols of a table beyond the last"},
		{"probabilities too small", frame(packed(rawLiterals("e"), []byte{1, 0b01100100, 0}, forwards(3, 4), make([]byte, 60))), "", "probabilities of a table do not add up"},
		{"description cut short", frame(packed(rawLiterals("e"), []byte{1, 0b10010100}, forwards(0, 4, 2, 4))), "", "description of a table cut short"},

		{"section of literals missing", frame(packed()), "", "literals section cut short"},
		{"raw literals missing", frame(packed(rawLiterals("abc")[:3])), "", "literals section cut short"},
		{"literal of a run missing", frame(packed([]byte{5<<3 | isRLE})), "", "literals section cut short"},
		{"half a header of literals", frame(packed([]byte{isRaw | 1<<2})), "", "literals section cut short"},
		{"header of Huffman literals cut", frame(packed([]byte{isCompressed, 0})), "", "literals section cut short"},
		{"Huffman literals missing", frame(packed(huffLiterals(isCompressed, 4, false, append(two, backwards("0110")...))[:4])), "", "literals section cut short"},
		{"more literals than a block", frame(packed([]byte{0b1101 | 1<<4, 0x40, 0, 'x'}, none)), "", "more literals than a block may decode to"},
		{"no tree to reuse", frame(packed(huffLiterals(isTreeless, 4, false, backwards("0110")), none)), "", "literals without a Huffman tree"},
		{"no tree", frame(packed(huffLiterals(isCompressed, 4, false, nil), none)), "", "no description of the Huffman tree"},
		{"direct weights missing", frame(packed(huffLiterals(isCompressed, 4, false, []byte{130, 0x11}), none)), "", "description of the Huffman tree cut short"},
		{"coded weights missing", frame(packed(huffLiterals(isCompressed, 4, false, []byte{4, 0x11}), none)), "", "description of the Huffman tree cut short"},
		{"weights of nothing", frame(packed(huffLiterals(isCompressed, 4, false, []byte{129, 0x00, 1}), none)), "", "Huffman weights do not add up"},
		{"weight of 12", frame(packed(huffLiterals(isCompressed, 4, false, []byte{129, 0xc1, 1}), none)), "", "Huffman weight beyond the limit"},
		{"code of 12 bits", frame(packed(huffLiterals(isCompressed, 4, false, []byte{129, 0xbb, 1}), none)), "", "Huffman weights do not add up"},
		{"no power of two left", frame(packed(huffLiterals(isCompressed, 4, false, []byte{129, 0x31, 1}), none)), "", "Huffman weights do not add up"},
		{"no code of the longest", frame(packed(huffLiterals(isCompressed, 4, false, []byte{129, 0x22, 1}), none)), "", "Huffman weights do not add up"},
		{"accuracy of weights of 7", frame(packed(huffLiterals(isCompressed, 4, false, []byte{2, 2, 0}), none)), "", "accuracy of a table beyond its limit"},
		{"a bit of literals left over", frame(packed(huffLiterals(isCompressed, 3, false, append(two, backwards("0110")...)), none)), "", "bits of a literal stream left over or missing"},
		{"a bit of literals missing", frame(packed(huffLiterals(isCompressed, 5, false, append(two, backwards("0110")...)), none)), "", "bits of a literal stream left over or missing"},
		{"literals without an end mark", frame(packed(huffLiterals(isCompressed, 4, false, append(two, 0)), none)), "", "bits of a literal stream left over or missing"},
		{"four streams of five", frame(packed(huffLiterals(isCompressed, 5, true, append(two, make([]byte, 20)...)), none)), "", "too few literals for four streams"},
		{"sizes of streams missing", frame(packed(huffLiterals(isCompressed, 8, true, append(two, 1, 0, 1, 0, 1)), none)), "", "too few literals for four streams"},
		{"streams beyond the section", frame(packed(huffLiterals(isCompressed, 8, true, append(two, 1, 0, 1, 0, 9, 0, 4, 4, 4, 4)), none)), "", "bits of a literal stream left over or missing"},

		{"reserved type", frame(raw("abc"), block(true, 3, 0, nil)), "abc", "reserved block type"},
		{"raw block beyond the window", frame(block(true, isRaw, 1025, make([]byte, 1025))), "", "block of more bytes than allowed"},
		{"run beyond the window", frame(block(true, isRLE, 1025, []byte("a"))), "", "block of more bytes than allowed"},
		{"compressed block beyond the window", frame(block(true, isCompressed, 1025, make([]byte, 1025))), "", "block of more bytes than allowed"},
	} {
		got, err := f.decode(tc.stored)
		if want := tc.reason; string(got) != tc.data || (err != nil) != (want != "") || err != nil && !isReason(err, want) {
			t.Errorf("%s: got %q and %v, want %q and %q", tc.why, got, err, tc.data, want)
		}
		if err != nil && (!errors.Is(err, fault.Corrupt) || !strings.Contains(err.Error(), tc.reason)) {
			t.Errorf("%s: got %v, want %v", tc.why, err, fault.Corrupt)
		}
	}
}
