package stream

import (
	"context"
	"sync/atomic"
)

// floor is what one lane has for itself: laneFloor bytes, and the right to a claim
// of up to ceiling bytes one day.
type floor struct {
	b       *budget
	reserve int64 // what tries leave to its claim
	ceiling int64 // the most that its claim may come to hold

	// What its progress depends on.
	outer  *floor      // the lane in whose sink it was asked for; nil if in none
	alone  bool        // its lane has a goroutine of its own: it goes on by itself
	idle   bool        // the lane goes on only when another one does
	source *floor      // the lane goes on only when the source of its job does; nil if it has work
	waits  int         // needs of it that wait
	inner  int         // needs and jobs in its sink that wait
	inSink func() bool // whether the lane runs the user's code

	goroutine uint64 // of a lane that is alone; 0 for others
	noWait    bool   // its claim waits only for what can be had back
	left      bool
	hosts     atomic.Bool // something was read in its sink
}

// fits reports whether floors leave room for every ceiling after w, one more.
func (b *budget) fits(w *need) bool { return b.fixed()+w.n+max(b.ceiling, w.f.ceiling) <= b.total }

// enter counts a floor that was granted.
func (b *budget) enter(f *floor) {
	f.b = b
	b.floors[f] = struct{}{}
	b.reserve, b.ceiling = max(b.reserve, f.reserve), max(b.ceiling, f.ceiling)
}

// exit is its undoing. What was set aside for it alone comes free.
func (b *budget) exit(f *floor) {
	f.left = true
	delete(b.floors, f)
	b.reserve, b.ceiling = b.base, b.base
	for f := range b.floors {
		b.reserve, b.ceiling = max(b.reserve, f.reserve), max(b.ceiling, f.ceiling)
	}
	for c := range b.claims {
		if c.held > 0 {
			b.reserve = max(b.reserve, c.held+c.rest)
		}
	}
}

// tryFloors takes floors like the given one for up to n lanes.
func (b *budget) tryFloors(n int, like *floor) (fs []*floor) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(fs) < n {
		f := like.another()
		if !b.serveOrEvict(&need{f: f, n: laneFloor}) {
			break
		}
		fs = append(fs, f)
	}
	return fs
}

// another is a floor with the same demands, for a lane of the same kind.
func (f *floor) another() *floor {
	return &floor{reserve: f.reserve, ceiling: f.ceiling, outer: f.outer, alone: f.alone, noWait: f.noWait, inSink: f.inSink}
}

// acquireFloor waits for a floor.
func (b *budget) acquireFloor(ctx context.Context, f *floor, noWait bool) error {
	b.mu.Lock()
	return b.await(ctx, &need{f: f, n: laneFloor, noWait: noWait})
}

// release returns the floor. A second call does nothing.
func (f *floor) release() {
	b := f.b
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if f.left {
		return
	}
	b.used -= laneFloor
	b.exit(f)
	b.grant()
}
