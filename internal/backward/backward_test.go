package backward_test

import (
	"errors"
	"testing"

	"github.com/thaw-go/thaw/internal/backward"
)

// TestAscending: every part once, in order, with a few looks for each, however many
// there are, and memory that does not follow their number.
func TestAscending(t *testing.T) {
	for _, c := range []struct {
		why          string
		parts, looks int64 // looks for each part at most
	}{
		{"none", 0, 0}, {"one", 1, 1}, {"as many as are kept", 1024, 1}, {"one more", 1025, 2},
		{"two stretches", 2048, 2}, {"one more than two stretches", 2049, 2}, {"all ends that are kept", 1 << 20, 2},
		{"many", 300_000, 2}, {"more than kept twice over", 1<<20 + 5, 3},
	} {
		const lo, size = 100, 7
		var looks, next, n int64
		next = lo
		allocs := testing.AllocsPerRun(1, func() {
			looks, next, n = 0, lo, 0
			err := backward.Ascending(lo, lo+size*c.parts, func(end int64) (int64, int64, error) {
				looks++
				return end - size, end - size, nil
			}, func(start int64) bool {
				if start != next {
					t.Fatalf("%s: got a part at %d, want one at %d", c.why, start, next)
				}
				next += size
				n++
				return true
			})
			if err != nil {
				t.Fatal(err)
			}
		})
		if n != c.parts || looks > c.looks*c.parts {
			t.Errorf("%s: got %d parts by %d looks, want %d by %d at most", c.why, n, looks, c.parts, c.looks*c.parts)
		}
		if allocs > 100+float64(c.parts)/100 {
			t.Errorf("%s: got %.0f allocations", c.why, allocs)
		}
	}
}

func TestAscendingEnds(t *testing.T) {
	t.Parallel()
	fault := errors.New("fault")
	for _, parts := range []int64{10, 5000} {
		yielded := int64(0)
		err := backward.Ascending(0, parts, func(end int64) (int64, int64, error) {
			if end == 3 {
				return 0, 0, fault
			}
			return end, end - 1, nil
		}, func(int64) bool { yielded++; return true })
		if err != fault || yielded != 0 {
			t.Errorf("%d parts, a fault: got %d parts and %v, want none and the fault", parts, yielded, err)
		}
		for _, most := range []int64{1, parts / 2, parts} {
			yielded = 0
			err = backward.Ascending(0, parts, func(end int64) (int64, int64, error) { return end, end - 1, nil },
				func(int64) bool { yielded++; return yielded < most })
			if err != nil || yielded != most {
				t.Errorf("%d parts, stopped after %d: got %d and %v", parts, most, yielded, err)
			}
		}
	}
}
