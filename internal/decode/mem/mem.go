// Package mem is what the fast loops of decoders read and write memory with: loads
// and stores of several bytes at any offset, without a check of bounds.
//
// A fast loop leaves its turn to a careful one while too few bytes of input or room
// are left for what one turn may touch, and states how many that is. With the tag
// purego, and on architectures that are not known to allow it, every access is
// checked: the same tests then find an index that is out of bounds.
package mem

// Repeat writes the last distance bytes before w, 1 to 7, again and again up to end
// and at most 7 bytes beyond.
func Repeat(v View, w, end, distance int) {
	p := Load64(v, w-distance) & (1<<(8*distance) - 1) * repeatMul[distance&7]
	for step := int(repeatStep[distance&7]); w < end; w += step {
		Store64(v, w, p)
	}
}

// repeatMul times some bytes are those bytes as often as they fit in eight, and
// repeatStep is how many whole bytes of these repetitions there are.
var (
	repeatMul  = [8]uint64{1: 0x0101010101010101, 2: 0x0001000100010001, 3: 0x0001000001000001, 4: 0x0000000100000001, 5: 0x0000010000000001, 6: 0x0001000000000001, 7: 0x0100000000000001}
	repeatStep = [8]uint8{1: 8, 2: 8, 3: 6, 4: 8, 5: 5, 6: 6, 7: 7}
)
