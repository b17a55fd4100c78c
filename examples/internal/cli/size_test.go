package cli_test

import (
	"testing"

	"github.com/thaw-go/thaw/examples/internal/cli"
)

func TestSize(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want cli.Size // 0: an error
		show string
	}{
		{"1", 1, "1"},
		{"1000", 1000, "1000"},
		{"64MiB", 64 << 20, "64MiB"},
		{"64m", 64 << 20, "64MiB"},
		{"1.5 GiB", 3 << 29, "1536MiB"},
		{"1GB", 1e9, "1000000000"},
		{"2kb", 2000, "2000"},
		{"4K", 4096, "4KiB"},
		{"12B", 12, "12"},
		{"", 0, ""},
		{"0", 0, ""},
		{"-1M", 0, ""},
		{"nan", 0, ""},
		{"inf", 0, ""},
		{"M", 0, ""},
		{"9999999999T", 0, ""},
		{"1 potato", 0, ""},
	} {
		var s cli.Size
		err := s.Set(tt.text)
		if (err != nil) != (tt.want == 0) || s != tt.want || err == nil && s.String() != tt.show {
			t.Errorf("%q: got %d, %s, %v, want %d, %s", tt.text, int64(s), s, err, int64(tt.want), tt.show)
		}
	}
}
