package stream

import "github.com/thaw-go/thaw/internal/indexed"

// WithIndexed returns o with formats that are read by their index.
func WithIndexed(o ReadOptions, formats ...indexed.Format) ReadOptions {
	o.indexed = formats
	return o
}

// Held tells what of a pool is in use: memory beside decoders kept for reuse,
// accounts, and permits that are not free.
func (p *Pool) Held() (memory int64, accounts, permits int) {
	return p.budget.InUse(), p.budget.Accounts(), p.permits.Held()
}
