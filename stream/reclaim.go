package stream

import (
	"errors"
	"time"
)

// ErrPoolBusy is returned where a read would have to wait for memory of its [Pool]
// and must not: it asked for that ([ReadOptions.NoWait]), or the memory is held by
// lanes that wait for the read itself, as when a sink opens an object on the Pool
// of its own job. Nothing is wrong with the object. Its class is [ClassTransient].
var ErrPoolBusy = errors.New("stream: the memory of the Pool is in use")

const (
	// slowAfter is how long a reader has to be away from its stored bytes to
	// lose its read-ahead to others that wait.
	slowAfter = 100 * time.Millisecond

	// allAfter is how long others have to wait for all readers to lose it.
	allAfter = time.Second
)

// reclaimable reports whether w would be served if all read-ahead was returned.
func (b *budget) reclaimable(w *need) bool {
	return b.ahead > 0 && b.mayPass(w) && b.safe(w, b.total-b.used+b.ahead)
}

// tick has read-ahead returned while somebody waits who could then go on: that of
// slow readers at once, that of all after a while.
func (b *budget) tick(w *need) {
	switch {
	case b.reclaim == nil || b.ahead == 0:
	case w.noWait:
		time.AfterFunc(0, func() { b.reclaim(0) })
	case b.ticker == nil:
		b.ticker = time.AfterFunc(0, func() { b.ticked(slowAfter, slowAfter) })
	}
}

// ticked asks those readers who were idle as long, and comes back after next.
func (b *budget) ticked(idle, next time.Duration) {
	b.mu.Lock()
	help := false
	for _, w := range b.waiting {
		help = help || b.reclaimable(w)
	}
	if len(b.waiting) == 0 || b.ahead == 0 {
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
