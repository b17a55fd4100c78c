//go:build !amd64 || purego || noasm

package lzma

// symbols is portable.
func (c *coder) symbols(src []byte, last, limit, end int) (int, status) {
	return c.portable(src, last, limit, end)
}
