package blob

import (
	"slices"
	"sync"
	"time"
)

// latencyStats are the times of a Store's recent requests, which show whether one is
// late. It is safe for concurrent use.
type latencyStats struct {
	mu     sync.Mutex
	waits  [64]time.Duration // for the first byte
	waited int               // waits ever noted
	bodies [32]bodyStat
	ended  int // bodies ever noted
}

// bodyStat is a body that was read to its end.
type bodyStat struct {
	start time.Time // of the request
	got   int64
}

const (
	// A response is late after the 95th percentile of those before it, but not
	// under lateFloor, and after lateBlind while there are fewer than lateSample.
	lateFloor  = 250 * time.Millisecond
	lateBlind  = time.Second
	lateSample = 16

	// A body is slow when its reader has waited slowFloor for it, or for one
	// piece of it, and slowRank bodies that were requested later, of at least
	// half its size, have ended.
	slowFloor = time.Second
	slowRank  = 4
)

// noteFirstByte notes how long a response took.
func (l *latencyStats) noteFirstByte(wait time.Duration) {
	l.mu.Lock()
	l.waits[l.waited%len(l.waits)] = wait
	l.waited++
	l.mu.Unlock()
}

// lateAfter returns the wait after which a response is late.
func (l *latencyStats) lateAfter() time.Duration {
	l.mu.Lock()
	n := min(l.waited, len(l.waits))
	sorted := l.waits
	l.mu.Unlock()
	if n < lateSample {
		return lateBlind
	}
	slices.Sort(sorted[:n])
	return max(lateFloor, sorted[(n-1)*95/100])
}

// noteBody notes a body that has ended.
func (l *latencyStats) noteBody(start time.Time, got int64) {
	l.mu.Lock()
	l.bodies[l.ended%len(l.bodies)] = bodyStat{start, got}
	l.ended++
	l.mu.Unlock()
}

// overtaken reports whether enough others have overtaken a body of want bytes.
func (l *latencyStats) overtaken(start time.Time, want int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	rank := 0
	for _, b := range l.bodies[:min(l.ended, len(l.bodies))] {
		if b.start.After(start) && b.got >= want/2 {
			rank++
		}
	}
	return rank >= slowRank
}
