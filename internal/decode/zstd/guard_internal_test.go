//go:build linux && amd64 && !purego && !noasm

package zstd

import (
	"syscall"
	"testing"
)

// between returns n bytes between pages that cannot be accessed: before them if
// first, else after them there is no other byte.
func between(t *testing.T, n int, first bool) []byte {
	t.Helper()
	page := syscall.Getpagesize()
	size := (n + page - 1) / page * page
	all, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(all) })
	for _, guard := range [][]byte{all[:page], all[page+size:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	if first {
		return all[page:][:n:n]
	}
	return all[page+size-n:][:n:n]
}
