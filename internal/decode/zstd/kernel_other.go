//go:build !amd64 || purego || noasm

package zstd

// kernel is what an assembled loop works on.
type kernel struct{}

// some decodes and executes up to n sequences, and tells how many.
func (d *decoder) some(n int) (int, error) { return d.portable(n) }

// decode does the turns.
func (s *streams) decode() { s.portable() }
