package pattern_test

import (
	"testing"

	"github.com/thaw-go/thaw/internal/decode/pattern"
)

// Each row goes on with the last bytes, and as often as row 0 tells whole.
func TestTable(t *testing.T) {
	table := pattern.Make()
	for distance := 1; distance < 16; distance++ {
		whole := int(table[0][distance])
		if whole%distance != 0 || whole > 16 || whole+distance <= 16 {
			t.Errorf("distance %d: got %d bytes of whole repetitions", distance, whole)
		}
		for i, at := range table[distance] {
			if int(at) != i%distance {
				t.Errorf("distance %d, byte %d: got %d", distance, i, at)
			}
		}
	}
}
