package blob

import (
	"slices"
	"sync"
	"time"
)

// pace is what a Store's recent requests took: it tells a late one from others. It
// is safe for concurrent use.
type pace struct {
	mu     sync.Mutex
	waits  [64]time.Duration // for the first byte
	waited int               // how many there ever were
	bodies [32]ended
	done   int
}

// ended is a body that was read to its end.
type ended struct {
	start time.Time // of the request
	got   int64
}

const (
	// A response is late after the 95th percentile of those before it, but
	// not under lateFloor, and after lateBlind while there are too few.
	lateFloor  = 250 * time.Millisecond
	lateBlind  = time.Second
	lateSample = 16

	// A body is slow when its reader has waited slowFloor for it, or for one
	// piece of it, and slowRank bodies that were asked for later, of at least
	// half its size, have ended.
	slowFloor = time.Second
	slowRank  = 4
)

// answered counts a response.
func (p *pace) answered(wait time.Duration) {
	p.mu.Lock()
	p.waits[p.waited%len(p.waits)] = wait
	p.waited++
	p.mu.Unlock()
}

// late is after which wait a response is late.
func (p *pace) late() time.Duration {
	p.mu.Lock()
	n := min(p.waited, len(p.waits))
	sorted := p.waits
	p.mu.Unlock()
	if n < lateSample {
		return lateBlind
	}
	slices.Sort(sorted[:n])
	return max(lateFloor, sorted[(n-1)*95/100])
}

// finished counts a body.
func (p *pace) finished(start time.Time, got int64) {
	p.mu.Lock()
	p.bodies[p.done%len(p.bodies)] = ended{start, got}
	p.done++
	p.mu.Unlock()
}

// overtaken tells whether a body of want bytes has been overtaken by enough others.
func (p *pace) overtaken(start time.Time, want int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	rank := 0
	for _, b := range p.bodies[:min(p.done, len(p.bodies))] {
		if b.start.After(start) && b.got >= want/2 {
			rank++
		}
	}
	return rank >= slowRank
}
