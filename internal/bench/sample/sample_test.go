package sample_test

import (
	"testing"

	"github.com/thaw-go/thaw/internal/bench/sample"
)

// The order statistics that hold the median with at least 95 %, from tables of the
// sign test.
func TestMedian(t *testing.T) {
	tests := []struct {
		n         int
		low, high float64
	}{{6, 1, 6}, {10, 2, 9}, {12, 3, 10}, {20, 6, 15}}
	for _, tt := range tests {
		var v []float64
		for i := tt.n; i > 0; i-- {
			v = append(v, float64(i))
		}
		got := sample.Median(v)
		want := sample.Interval{Low: tt.low, Median: float64(tt.n+1) / 2, High: tt.high}
		if got != want {
			t.Errorf("n=%d: got %+v, want %+v", tt.n, got, want)
		}
	}
}
