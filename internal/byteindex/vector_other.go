//go:build !amd64 || purego || noasm

package byteindex

const vector = false

func scanVector(*uint32, int, *byte, int, byte, uint32) (blocks, found int) { return 0, 0 }
