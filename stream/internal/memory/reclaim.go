package memory

import "time"

const (
	// slowAfter is how long a reader has to be away from its stored bytes to
	// lose its read-ahead to others that wait.
	slowAfter = 100 * time.Millisecond

	// allAfter is how long others have to wait for all readers to lose it.
	allAfter = time.Second
)

// reclaimable reports whether w would be served if all read-ahead was returned.
func (b *Budget) reclaimable(w *waiter) bool {
	return b.readAhead > 0 && b.mayPass(w) && b.safe(w, b.free()+b.readAhead)
}

// tick has read-ahead returned while somebody waits who could then go on: that of
// slow readers at once, that of all after a while.
func (b *Budget) tick(w *waiter) {
	switch {
	case b.reclaim == nil || b.readAhead == 0:
	case w.noWait:
		time.AfterFunc(0, func() { b.reclaim(0) })
	case b.ticker == nil:
		b.ticker = time.AfterFunc(0, func() { b.ticked(slowAfter, slowAfter) })
	}
}

// ticked asks those readers who were idle as long, and comes back after next.
func (b *Budget) ticked(idle, next time.Duration) {
	b.mu.Lock()
	help := false
	for _, w := range b.queue {
		help = help || b.reclaimable(w)
	}
	if len(b.queue) == 0 || b.readAhead == 0 {
		b.ticker = nil
		b.mu.Unlock()
		return
	}
	then := slowAfter
	if next >= allAfter {
		then = 0
	}
	b.ticker = time.AfterFunc(next, func() { b.ticked(then, allAfter) })
	b.mu.Unlock()
	if help {
		b.reclaim(idle)
	}
}
