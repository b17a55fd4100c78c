//go:build !amd64 || purego

package byteindex

func maskVector(*uint64, *byte, int, byte) {}
