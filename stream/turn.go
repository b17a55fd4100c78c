package stream

import "time"

// A need that is not safe yet is passed by later ones that are. So that it is not
// passed for ever, it has a turn after a while: newcomers, who hold nothing that
// others could wait for, then wait until it is served. Holders go on, since they
// must finish first.
//
// A newcomer may be what a holder depends on in ways that the budget cannot see,
// as when a program reads two objects side by side. So a turn is bounded in time,
// and each is twice as long as the one before.
const (
	mostPassed = 16          // newcomers that may pass a need before it has a turn
	firstTurn  = time.Second // the length of its first turn
)

// turn is a need's state in this.
type turn struct {
	passes int
	length time.Duration // of the last one
	timer  *time.Timer   // ends the turn; nil while there is none
}

// newcomer reports whether nobody can wait for what w holds.
func (w *need) newcomer() bool { return w.c == nil || w.c.held == 0 }

// keeps reports whether a grant of x, a newcomer, may keep w waiting: both ask for
// a floor or both for a claim, or it is claims that keep w from its floor.
func (b *budget) keeps(x, w *need) bool {
	if w.c == nil && x.c != nil {
		return b.fits(w)
	}
	return (w.c == nil) == (x.c == nil)
}

// mayPass reports whether no need before x has its turn now.
func (b *budget) mayPass(x *need) bool {
	if x.n == 0 || !x.newcomer() || x.inSink() {
		return true
	}
	for _, w := range b.waiting {
		if w == x {
			break
		}
		if w.turn.timer != nil && b.keeps(x, w) {
			return false
		}
	}
	return true
}

// passed counts that x was granted before the needs that wait longer.
func (b *budget) passed(x *need) {
	if x.n == 0 || !x.newcomerBefore() {
		return
	}
	for _, w := range b.waiting {
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
func (w *need) newcomerBefore() bool { return w.c == nil || w.c.held == w.n }

// endTurn lets others pass w again.
func (b *budget) endTurn(w *need) {
	b.mu.Lock()
	defer b.mu.Unlock()
	w.turn.passes, w.turn.timer = 0, nil
	b.grant()
}

// end is called when the need waits no more.
func (t *turn) end() {
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
}
