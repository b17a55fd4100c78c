//go:build !purego && !noasm

package byteindex

// maskVector makes n masks of the blocks at src, n > 0.
//
//go:noescape
func maskVector(masks *uint64, src *byte, n int, c byte)
