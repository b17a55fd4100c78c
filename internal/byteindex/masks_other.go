//go:build !amd64 || purego || noasm

package byteindex

func maskVector(*uint64, *byte, int, byte) {}
