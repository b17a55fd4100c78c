package ahead

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// A finder finds the units that Split lists, and members where headers do not say, however
// the stored bytes are divided.
func TestFinder(t *testing.T) {
	encode := func(codec string, data []byte) []byte {
		b, err := corpus.Encode(codec, data)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	several := func(n int, member func(i int) []byte) (all []byte) {
		for i := range n {
			all = append(all, member(i)...)
		}
		return all
	}
	text := corpus.NDJSONBytes(1, 20000)
	for _, tc := range []struct {
		codec, why string
		stored     []byte
		units      int // 0: as Split says
	}{
		{"gzip", "bgzf", several(20, func(i int) []byte { return corpus.BGZF(text[i*1000 : i*3000]) }), 0},
		{"gzip", "members", several(30, func(i int) []byte { return encode("gzip", text[:i*500]) }), 30},
		{"gzip", "bgzf, then members", append(several(9, func(i int) []byte { return corpus.BGZF(text[:i*3000+1]) }), several(4, func(i int) []byte { return encode("gzip", text[:i*500]) })...), 13},
		{"zstd", "frames", several(30, func(i int) []byte { return encode("zstd", text[:i*1500]) }), 0},
		{"snappy", "chunks", encode("snappy", text), 0},
		{"s2", "chunks", encode("s2", text), 0},
		{"lz4", "frames", several(7, func(i int) []byte { return encode("lz4", text[:i*9000]) }), 0},
		{"bzip2", "streams", several(5, func(i int) []byte { return encode("bzip2", text[:i*9000]) }), 5},
	} {
		c, err := codec.Default().Lookup(tc.codec)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		if tc.units == 0 {
			for u, err := range c.Split(bytes.NewReader(tc.stored), int64(len(tc.stored))) {
				if err != nil {
					t.Fatal(err)
				}
				if u.Offset > 0 {
					want = append(want, fmt.Sprint(u.Offset, string(u.State)))
				}
			}
		}
		for seed := range uint64(50) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			f := finder{s: c.Scan(), next: c.NextMember, size: int64(len(tc.stored))}
			var got []string
			var last int64
			for rest := tc.stored; len(rest) > 0; {
				n := min(len(rest), 1+rnd.IntN(1<<rnd.IntN(17)))
				f.look(rest[:n], func(s start) {
					if s.offset <= last {
						t.Errorf("%s, %s: unit at %d after one at %d", tc.codec, tc.why, s.offset, last)
					}
					last = s.offset
					got = append(got, fmt.Sprint(s.offset, string(s.state)))
				})
				rest = rest[n:]
			}
			if tc.units == 0 && !slices.Equal(got, want) {
				t.Fatalf("%s, %s: got units %q, want %q", tc.codec, tc.why, got, want)
			}
			if tc.units > 0 && len(got) != tc.units-1 {
				t.Fatalf("%s, %s: got %d units, want %d", tc.codec, tc.why, len(got), tc.units-1)
			}
		}
	}
}
