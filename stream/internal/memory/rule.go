package memory

import (
	"cmp"
	"slices"
)

// safe reports whether a grant of w keeps the rules, if free bytes were free.
func (b *Budget) safe(w *waiter, free int64) bool {
	if free < w.bytes {
		return false
	}
	later := b.free() - w.bytes + b.readAhead + b.kept
	if w.account == nil {
		return b.fits(w) && b.finishable(later+b.optimistic)
	}
	a := w.account
	before, optimistic := *a, b.optimistic
	a.endOptimism()
	a.held, a.guaranteed = a.held+w.bytes, w.guaranteed
	ok := b.finishable(later + b.optimistic)
	*a, b.optimistic = before, optimistic
	return ok
}

// finishable reports whether there is an order in which all holders can finish,
// each with what is free and what those before it released. The one that may need
// least goes first.
func (b *Budget) finishable(free int64) bool {
	b.order = b.order[:0]
	for a := range b.accounts {
		if a.held > 0 && !a.optimistic {
			b.order = append(b.order, a)
		}
	}
	slices.SortFunc(b.order, func(x, y *Account) int { return cmp.Compare(x.guaranteed, y.guaranteed) })
	for _, a := range b.order {
		if a.guaranteed > free {
			return false
		}
		free += a.held
	}
	return true
}

// fits reports whether floors leave room for every limit after w, one more.
func (b *Budget) fits(w *waiter) bool {
	return b.fixed()+w.bytes+max(b.limit, w.lane.Limit) <= b.total
}
