package cli_test

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/thaw-go/thaw/examples/internal/cli"
	"github.com/thaw-go/thaw/stream"
)

// The line says how fast stored bytes are read, and when all will have been, and
// never wraps.
func TestProgressLine(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	width := 200
	c := cli.NewTerminal("test", &out, func() int { return width })
	show := c.Trace().Progress
	at := func(seconds int, stored int64, done bool) string {
		out.Reset()
		show(stream.Progress{
			Elapsed: time.Duration(seconds) * time.Second, Listed: 4, ListedBytes: 100e6, ListingDone: done, Done: 1,
			Stored: stored, Decoded: 4 * stored, Records: stored / 100,
		})
		return out.String()
	}
	for _, tt := range []struct {
		second int
		stored int64
		done   bool
		want   []string
		lacks  string
	}{
		{0, 0, false, []string{"1 of 4 objects so far"}, "/s"},
		{2, 10e6, false, []string{"10.0 MB at 5.0 MB/s"}, "left"}, // more may be listed
		{4, 20e6, true, []string{"20 % ", "at 5.0 MB/s", "16s left"}, "so far"},
		{24, 40e6, true, []string{"40 % ", "at 1.0 MB/s", "1m0s left"}, ""}, // the first seconds are forgotten
		{30, 100e6, true, []string{"100 % "}, "left"},
	} {
		line := at(tt.second, tt.stored, tt.done)
		for _, want := range tt.want {
			if !strings.Contains(line, want) {
				t.Errorf("at %d s: got %q, want %q in it", tt.second, line, want)
			}
		}
		if tt.lacks != "" && strings.Contains(line, tt.lacks) {
			t.Errorf("at %d s: got %q, want no %q in it", tt.second, line, tt.lacks)
		}
	}
	for _, width = range []int{1, 2, 20, 40, 80} {
		line := strings.TrimPrefix(at(31, 1, true), "\r\x1b[K")
		if n := utf8.RuneCountInString(line); n >= max(width, 2) {
			t.Errorf("width %d: got %d columns: %q", width, n, line)
		}
	}
}
