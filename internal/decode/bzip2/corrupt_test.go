package bzip2_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/internal/decode/bzip2"
	"github.com/thaw-go/thaw/internal/decode/fault"
)

// bits turns groups of 0 and 1 into bytes, padded with zeros.
func bits(groups ...string) []byte {
	all := strings.ReplaceAll(strings.Join(groups, ""), " ", "")
	b := make([]byte, (len(all)+7)/8+16)
	for i, c := range all {
		b[i/8] |= byte(c-'0') << (7 - i%8)
	}
	return b
}

func TestCorrupt(t *testing.T) {
	t.Parallel()
	const (
		sum      = "00000000 00000000 00000000 00000000"
		plain    = "0"
		origin   = "00000000 00000000 00000000"
		used     = "1000000000000000 1000000000000000" // one byte: 0. So symbols are run, run, end.
		two      = "010"                               // trees
		selector = "000000000000001 0"
		// Lengths 1, 2, 2: codes 0 and 10 for the digits of a run, 11 for the end.
		tree  = "00001 0 100 0"
		trees = tree + tree
	)
	zeros := func(n int) string { return strings.Repeat("0", n) }
	cases := []struct {
		name, header string
		block        []string // nil: none
	}{
		{"no header", "BZip", nil},
		{"level 0", "BZh0", nil},
		{"neither block nor end", "BZh9 and more text", nil},
		{"no byte used", "BZh1", []string{sum, plain, origin, zeros(16), two, selector, trees, "11"}},
		{"range used without a byte", "BZh1", []string{sum, plain, origin, "1" + zeros(15), zeros(16), two, selector, trees, "11"}},
		{"one tree", "BZh1", []string{sum, plain, origin, used, "001", selector, tree, "0 11"}},
		{"seven trees", "BZh1", []string{sum, plain, origin, used, "111", selector, trees, "0 11"}},
		{"no selectors", "BZh1", []string{sum, plain, origin, used, two, zeros(15), trees, "0 11"}},
		{"selector of a third tree", "BZh1", []string{sum, plain, origin, used, two, "000000000000001 110", trees, "0 11"}},
		{"code of length 0", "BZh1", []string{sum, plain, origin, used, two, selector, "00000 000", tree, "0 11"}},
		{"code of length 21", "BZh1", []string{sum, plain, origin, used, two, selector, "10100 10 000", tree, "0 11"}},
		{"three codes of one bit", "BZh1", []string{sum, plain, origin, used, two, selector, "00001 000", tree, "0 11"}},
		{"code of no symbol", "BZh1", []string{sum, plain, origin, used, two, selector, "00010 000", tree, "11"}},
		{"long code of no symbol", "BZh1", []string{sum, plain, origin, used, two, selector, "10100 000", tree, strings.Repeat("1", 40)}},
		{"empty block", "BZh1", []string{sum, plain, origin, used, two, selector, trees, "11"}},
		{"origin after the block", "BZh1", []string{sum, plain, zeros(23) + "1", used, two, selector, trees, "0 11"}},
		{"run past the level's size", "BZh1", []string{sum, plain, origin, used, two, selector, trees, strings.Repeat("10", 17), "11"}},
		// Two bytes in use, so four symbols of two bits: 10 is the second place.
		{"no selector left before the end", "BZh1", []string{sum, plain, origin, "1" + zeros(15), "11" + zeros(14), two, selector, "00010 0000", "00010 0000", strings.Repeat("10", 50), "11"}},
	}
	for _, c := range cases {
		stored := []byte(c.header)
		if c.block != nil {
			stored = append(stored, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59)
			stored = append(stored, bits(c.block...)...)
		}
		_, _, err := decode(stored)
		if !errors.Is(err, fault.Corrupt) {
			t.Errorf("%s: got %v, want %v", c.name, err, fault.Corrupt)
		}
	}
}

// Encoders are known to fill up to two trees with one that no symbol is coded by.
func TestTreeWithoutUseMayBeAnything(t *testing.T) {
	t.Parallel()
	zeros := func(n int) string { return strings.Repeat("0", n) }
	for name, tree := range map[string]string{"too many codes": "00001 000", "room left": "10100 000"} {
		stored := append([]byte("BZh1"), bits(
			"001100010100000101011001001001100101001101011001", // the block's mark
			zeros(32), "0", zeros(24),
			"1"+zeros(15), "1"+zeros(15), // byte 0 is used
			"010", zeros(14)+"1", "0", // two trees, of which the first is chosen
			"00001 0 100 0", tree,
			"0 11", // a run of one, the end
			"000101110111001001000101001110000101000010010000", // the stream's end
			zeros(32))...)
		z := bzip2.Reader{Unverified: true}
		z.Reset(bufio.NewReader(bytes.NewReader(stored)))
		if got, err := io.ReadAll(&z); err != nil || string(got) != "\x00" {
			t.Errorf("%s: got %q and %v, want one zero", name, got, err)
		}
	}
}
