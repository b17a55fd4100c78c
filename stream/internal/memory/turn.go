package memory

import "time"

// A request that is not safe yet is passed by later ones that are. So that it is not
// passed for ever, it has a turn after a while: newcomers, who hold nothing that
// others could wait for, then wait until it is served. Holders go on, since they
// must finish first.
//
// A newcomer may be what a holder depends on in ways that the budget cannot see,
// as when a program reads two objects side by side. So a turn is bounded in time,
// and each is twice as long as the one before.
const (
	mostPassed = 16          // newcomers that may pass a request before it has a turn
	firstTurn  = time.Second // the length of its first turn
)

// turn is a waiter's state in this.
type turn struct {
	passes int
	length time.Duration // of the last one
	timer  *time.Timer   // ends the turn; nil while there is none
}

// newcomer reports whether nobody can wait for what w holds.
func (w *waiter) newcomer() bool { return w.account == nil || w.account.held == 0 }

// keeps reports whether a grant of x, a newcomer, may keep w waiting: both ask for
// a floor or both for an account, or it is accounts that keep w from its floor.
func (b *Budget) keeps(x, w *waiter) bool {
	if w.account == nil && x.account != nil {
		return b.fits(w)
	}
	return (w.account == nil) == (x.account == nil)
}

// mayPass reports whether nobody before x has its turn now.
func (b *Budget) mayPass(x *waiter) bool {
	if x.bytes == 0 || !x.newcomer() || x.inSink() {
		return true
	}
	for _, w := range b.queue {
		if w == x {
			break
		}
		if w.turn.timer != nil && b.keeps(x, w) {
			return false
		}
	}
	return true
}

// passed counts that x was granted before those that wait longer.
func (b *Budget) passed(x *waiter) {
	if x.bytes == 0 || !x.newcomerBefore() {
		return
	}
	for _, w := range b.queue {
		if w == x {
			break
		}
		if !b.keeps(x, w) {
			continue
		}
		if w.turn.passes++; w.turn.passes >= mostPassed && w.turn.timer == nil {
			w.turn.length = max(firstTurn, 2*w.turn.length)
			w.turn.timer = time.AfterFunc(w.turn.length, func() { b.endTurn(w) })
		}
	}
}

// newcomerBefore is newcomer after w was granted.
func (w *waiter) newcomerBefore() bool { return w.account == nil || w.account.held == w.bytes }

// endTurn lets others pass w again.
func (b *Budget) endTurn(w *waiter) {
	b.mu.Lock()
	defer b.mu.Unlock()
	w.turn.passes, w.turn.timer = 0, nil
	b.serveQueue()
}

// end is called when the wait is over.
func (t *turn) end() {
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
}
