package stream

import "github.com/thaw-go/thaw/internal/indexed"

// WithIndexed returns o with formats that are read by their index.
func WithIndexed(o ReadOptions, formats ...indexed.Format) ReadOptions {
	o.indexed = formats
	return o
}

// Held tells what of a pool is in use: memory beside decoders kept for reuse,
// claims, and permits that are not free.
func (p *Pool) Held() (memory int64, claims, permits int) {
	b := p.budget
	b.mu.Lock()
	memory, claims = b.used-b.kept, len(b.claims)
	b.mu.Unlock()
	p.permits.mu.Lock()
	defer p.permits.mu.Unlock()
	return memory, claims, p.workers - p.permits.free
}
