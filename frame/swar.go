package frame

// Eight bytes in one register.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// spread repeats c in every byte.
func spread(c byte) uint64 { return ones * uint64(c) }
