package codec_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/pierrec/lz4/v4"

	"github.com/thaw-go/thaw/codec"
)

// TestLZ4LegacyEnds: nothing but what follows tells where a legacy frame ends.
func TestLZ4LegacyEnds(t *testing.T) {
	t.Parallel()
	const magic, a = "\x02\x21\x4c\x18", "\x02\x00\x00\x00\x10A"
	text := strings.Repeat("the ice on the lake ", 40)
	frame := string(lz4Frame(t, []byte(text), lz4.LegacyOption(true)))
	size := string([]byte{byte(len(text)), byte(len(text) >> 8), 0, 0})
	for _, tc := range []struct {
		why, stored, data, verdict string
	}{
		{"blocks as long as what was decoded before", magic + a + a + a, "AAA", "clean"},
		{"and more of them", magic + strings.Repeat(a, 9), "AAAAAAAAA", "clean"},
		{"the size that a kernel build appends", frame + size, text, "trailing"},
		{"that size and zeros", frame + size + strings.Repeat("\x00", 40), text, "trailing"},
		{"a cut block", frame[:len(frame)-1], "", "truncated"},
		{"a cut size of a block", magic + a + a[:3], "A", "truncated"},
		{"zeros after it", frame + strings.Repeat("\x00", 8), text, "trailing"},
		{"a bare magic", magic, "", "truncated"},
		{"a magic before another frame", magic + frame, text, "clean"},
		{"no block, no magic", magic + "\x00\x00\x00\x01", "", "corrupt"},
	} {
		t.Run(tc.why, func(t *testing.T) {
			t.Parallel()
			c, stored := lookup(t, "lz4"), []byte(tc.stored)
			if r := readAll(c.NewReader(bytes.NewReader(stored), new(codec.Options))); string(r.data) != tc.data || r.verdict != tc.verdict {
				t.Errorf("Decoder: got %d bytes, %s; want %d, %s", len(r.data), r.verdict, len(tc.data), tc.verdict)
			}
			verdicts := []string{tc.verdict}
			if tc.why == "that size and zeros" {
				verdicts = append(verdicts, "truncated") // headers cannot tell it from a block
			}
			if r, _ := byUnits(c, stored); !slices.Contains(verdicts, r.verdict) {
				t.Errorf("units: got %s, want %s", r.verdict, tc.verdict)
			}
			if _, err := inspect("lz4", stored, codec.InspectOptions{}); !slices.Contains(verdicts, verdict(err)) {
				t.Errorf("Inspect: got %s, want %s", verdict(err), tc.verdict)
			}
			if _, err := inspect("lz4", stored, codec.InspectOptions{Decode: true}); verdict(err) != tc.verdict {
				t.Errorf("Inspect with decoding: got %s, want %s", verdict(err), tc.verdict)
			}
		})
	}
}
