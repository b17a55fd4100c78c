package brotli

// maxCommands is the size of the alphabet of commands.
const maxCommands = 704

// command is what a symbol of the alphabet of commands stands for: literals to
// insert and bytes to copy, each a base and bits to add, RFC 7932 section 5.
type command struct {
	insertBase, copyBase uint16
	insertBits           uint8
	copyBits             uint8
	context              uint8 // of the distance, if the copy has no more bits
	lastDistance         bool  // the last distance, with no symbol for it
}

// lengths are the bases and bits of the codes of lengths.
type lengths struct {
	base uint16
	bits uint8
}

// series are codes that begin at base and have bits, one after the other.
func series(base int, bits ...uint8) (l [maxCounts]lengths) {
	for i, n := range bits {
		l[i] = lengths{uint16(base), n}
		base += 1 << n
	}
	return l
}

// commands has room for any index of ten bits.
var commands = func() (t [1 << 10]command) {
	inserts := series(0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10, 12, 14, 24)
	copies := series(2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10, 24)
	// Which codes a cell of 64 symbols is of: the first insert and copy code.
	cells := [11][2]int{{0, 0}, {0, 8}, {0, 0}, {0, 8}, {8, 0}, {8, 8}, {0, 16}, {16, 0}, {8, 16}, {16, 8}, {16, 16}}
	for s := range maxCommands {
		cell := cells[s>>6]
		i, c := inserts[cell[0]+(s>>3)&7], copies[cell[1]+(s&7)]
		t[s] = command{
			insertBase: i.base, insertBits: i.bits,
			copyBase: c.base, copyBits: c.bits,
			context:      uint8(min(c.base-2, 3)),
			lastDistance: s < 128,
		}
	}
	return t
}()
