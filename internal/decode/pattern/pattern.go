// Package pattern repeats the last few bytes of a buffer with shuffles of vectors.
package pattern

// Table has a row of 16 bytes for each distance below 16: at which of the last
// distance bytes each of the next 16 is. Row 0 states for each distance how many of
// these are whole repetitions.
type Table [16][16]byte

// Make makes the table.
func Make() (t Table) {
	for distance := 1; distance < 16; distance++ {
		t[0][distance] = byte(16 - 16%distance)
		for i := range t[distance] {
			t[distance][i] = byte(i % distance)
		}
	}
	return t
}
