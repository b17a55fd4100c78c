//go:build !amd64 || purego || noasm

package zstd

// kernel is what an assembled loop works on.
type kernel struct{}

// decodeBatch decodes and executes up to n sequences, and returns how many.
func (d *decoder) decodeBatch(n int) (int, error) { return d.decodeBatchPortable(n) }

// decode does the turns.
func (s *streams) decode() { s.portable() }
