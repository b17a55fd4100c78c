package amount_test

import (
	"math"
	"testing"

	"github.com/thaw-go/thaw/internal/amount"
)

func TestAmounts(t *testing.T) {
	for _, tt := range []struct {
		n            int64
		data, memory string
	}{
		{0, "0 B", "0 B"},
		{999, "999 B", "999 B"},
		{1000, "1.0 kB", "1000 B"},
		{1024, "1.0 kB", "1 KiB"},
		{1536, "1.5 kB", "1.5 KiB"},
		{999_960, "1.0 MB", "976.5 KiB"}, // no unit shows more than it holds
		{64 << 20, "67.1 MB", "64 MiB"},
		{1 << 30, "1.07 GB", "1 GiB"},
		{3 << 29, "1.61 GB", "1.5 GiB"},
		{math.MaxInt64, "9.22 EB", "8 EiB"},
	} {
		if got := amount.Data(tt.n); got != tt.data {
			t.Errorf("data of %d: got %s, want %s", tt.n, got, tt.data)
		}
		if got := amount.Memory(tt.n); got != tt.memory {
			t.Errorf("memory of %d: got %s, want %s", tt.n, got, tt.memory)
		}
	}
}
