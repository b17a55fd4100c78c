package memory

import (
	"context"
	"sync/atomic"
)

// Terms are what a lane needs, and what it depends on.
type Terms struct {
	// Reserve is what tries leave to the lane's account.
	Reserve int64

	// Limit is the most that its account may hold, one day.
	Limit int64

	// NoWait makes the lane fail with ErrBusy where it could only wait for other
	// lanes. It does not hold for the account of an independent lane.
	NoWait bool

	// Independent says that the lane has a goroutine of its own, as those of a job:
	// it goes on when the lane in whose sink it was opened waits for something else.
	Independent bool

	// Outer is the lane in whose sink the memory is asked for, nil for none.
	Outer *Lane
}

// Lane is what one lane has for itself: the floor, and the right to an account. It
// knows what the lane's progress depends on.
type Lane struct {
	Terms
	b *Budget

	idle   bool        // the lane goes on only when another one does
	source *Lane       // the lane goes on only when the source of its job does; nil if it has work
	waits  int         // requests of its account that wait
	inner  int         // requests and jobs in its sink that wait
	inSink func() bool // whether the lane runs the user's code

	goroutine   uint64 // of a lane that has one of its own; 0 for others
	left        bool
	contextUsed atomic.Bool // something was read in its sink
}

// Enter waits for the floor of a lane. Leave returns it.
func (b *Budget) Enter(ctx context.Context, t Terms) (*Lane, error) {
	l := &Lane{Terms: t, b: b}
	b.mu.Lock()
	if err := b.wait(ctx, &waiter{lane: l, bytes: b.floor, noWait: t.NoWait}); err != nil {
		return nil, err
	}
	return l, nil
}

// TryEnter returns lanes with the given terms, n or as many as fit now.
func (b *Budget) TryEnter(n int, t Terms) (ls []*Lane) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(ls) < n {
		l := &Lane{Terms: t, b: b}
		if !b.serveOrEvict(&waiter{lane: l, bytes: b.floor}) {
			break
		}
		ls = append(ls, l)
	}
	return ls
}

// Fit returns how many lanes with the given terms fit into the budget at once.
func (b *Budget) Fit(t Terms) int { return int((b.total - t.Limit) / b.floor) }

// Account returns the lane's account, of which nothing is used. It is closed before
// the lane leaves. inSink reports whether the lane runs the user's code; it is called
// by other goroutines.
func (l *Lane) Account(inSink func() bool) *Account {
	l.b.mu.Lock()
	l.inSink = inSink
	l.b.mu.Unlock()
	return l.b.account(l)
}

// Leave returns the floor. A second call does nothing.
func (l *Lane) Leave() {
	b := l.b
	b.mu.Lock()
	defer b.mu.Unlock()
	if l.left {
		return
	}
	b.used -= b.floor
	b.exit(l)
	b.serveQueue()
}

// enter counts a lane whose floor was granted.
func (b *Budget) enter(l *Lane) {
	b.lanes[l] = struct{}{}
	b.reserve, b.limit = max(b.reserve, l.Reserve), max(b.limit, l.Limit)
}

// exit is its undoing. What was set aside for it alone comes free.
func (b *Budget) exit(l *Lane) {
	l.left = true
	delete(b.lanes, l)
	b.reserve, b.limit = 0, 0
	for l := range b.lanes {
		b.reserve, b.limit = max(b.reserve, l.Reserve), max(b.limit, l.Limit)
	}
	for a := range b.accounts {
		if a.held > 0 {
			b.reserve = max(b.reserve, a.held+a.guaranteed)
		}
	}
}
