package stream

import (
	"context"

	"github.com/thaw-go/thaw/codec"
)

// claim is what one lane holds beyond its floor.
type claim struct {
	b    *budget
	f    *floor // of the lane; nil in tests
	held int64
	rest int64 // announced: most that its object may still need beside what is held

	loose bool // nothing is promised, and nothing waited for
}

// claim opens a claim whose object may need up to rest bytes beside its window.
func (b *budget) claim(rest int64) *claim {
	c := &claim{b: b, rest: rest}
	b.mu.Lock()
	b.claims[c] = struct{}{}
	b.mu.Unlock()
	return c
}

// acquire takes n bytes for c. They come out of what c announced; where that is
// less, c's object may need up to rest more. It waits until that is safe or ctx
// ends.
func (c *claim) acquire(ctx context.Context, n, rest int64) error {
	c.b.mu.Lock()
	return c.wait(ctx, n, c.after(n, rest), 0, false)
}

// try is acquire without waiting.
func (c *claim) try(n, rest int64) bool {
	c.b.mu.Lock()
	defer c.b.mu.Unlock()
	return c.now(n, c.after(n, rest), 0, false)
}

// open is acquire for another object: it announces rest, and as much of room as
// can be promised. loosely, it does with no promise as long as rest is free.
func (c *claim) open(ctx context.Context, n, rest, room int64, loosely bool) error {
	c.b.mu.Lock()
	return c.wait(ctx, n, rest, room, loosely)
}

// tryOpen is open without waiting.
func (c *claim) tryOpen(n, rest, room int64, loosely bool) bool {
	c.b.mu.Lock()
	defer c.b.mu.Unlock()
	return c.now(n, rest, room, loosely)
}

// grow is acquire for a decoder that asks for more. More than c announced cannot
// be waited for while c holds something: it is granted if it is free, and
// errParked else. More than the ceiling is a limit error.
func (c *claim) grow(ctx context.Context, n int64) error {
	b := c.b
	b.mu.Lock()
	if n <= c.rest {
		return c.wait(ctx, n, c.rest-n, 0, false)
	}
	defer b.mu.Unlock()
	if most := c.most(); c.held+n > most {
		return &codec.LimitError{What: "memory", Needed: c.held + n, Allowed: most}
	}
	if b.serveOrEvict(c.need(n, 0, 0, false)) {
		return nil
	}
	return errParked
}

// release returns n bytes of the claim. Its object may need them again.
func (c *claim) release(n int64) {
	c.b.mu.Lock()
	c.drop(n)
	c.rest += n
	c.b.used -= n
	c.b.grant()
	c.b.mu.Unlock()
}

// transfer takes n bytes out of the claim without giving them back: they now
// belong to something kept for reuse.
func (c *claim) transfer(n int64) {
	c.b.mu.Lock()
	c.drop(n)
	c.b.kept += n
	c.b.grant()
	c.b.mu.Unlock()
}

// close gives back all that the claim holds.
func (c *claim) close() {
	c.b.mu.Lock()
	c.b.settle(c)
	c.b.used -= c.held
	c.held = 0
	delete(c.b.claims, c)
	c.b.grant()
	c.b.mu.Unlock()
}

// after is what may be needed once n bytes were taken. b.mu is held, as in all that
// follow.
func (c *claim) after(n, rest int64) int64 {
	if n <= c.rest {
		return c.rest - n
	}
	return rest
}

// promise is what can be announced behind n bytes: rest, and of room what is left
// of the most that a claim is sure to get. ok says whether rest can. The reserve
// then covers it, so that trying and floors leave it to c.
func (c *claim) promise(n, rest, room int64) (announced int64, ok bool) {
	b := c.b
	left := c.most() - c.held - n - rest
	if left < 0 {
		return rest, false
	}
	rest += min(room, left)
	b.reserve = max(b.reserve, c.held+n+rest)
	return rest, true
}

// wait takes n bytes once that is safe, and unlocks b.mu.
func (c *claim) wait(ctx context.Context, n, rest, room int64, loosely bool) error {
	b := c.b
	announced, ok := c.promise(n, rest, room)
	switch {
	case n == 0 && c.held == 0:
		c.rest = announced // nothing is held that others could wait for
		b.mu.Unlock()
		return nil
	case !ok:
		err := &codec.LimitError{What: "memory", Needed: c.held + n + rest, Allowed: c.most()}
		b.mu.Unlock()
		return err
	}
	return b.await(ctx, c.need(n, announced, rest, loosely))
}

// now takes n bytes if that is safe, and never more than a wait could get.
func (c *claim) now(n, rest, room int64, loosely bool) bool {
	announced, ok := c.promise(n, rest, room)
	return ok && c.b.serve(c.need(n, announced, rest, loosely))
}

func (c *claim) need(n, rest, spare int64, loosely bool) *need {
	return &need{c: c, f: c.f, n: n, rest: rest, loosely: loosely, spare: spare, noWait: c.f != nil && c.f.noWait}
}

// most is what a claim can be sure to get one day, whatever others hold now and
// however many they are.
func (c *claim) most() int64 {
	if c.f != nil {
		return c.f.ceiling
	}
	return max(c.b.reserve, c.b.total/2-laneFloor)
}

// drop takes n bytes out of what c holds.
func (c *claim) drop(n int64) {
	c.held -= n
	if c.loose {
		c.b.loose -= n
		c.loose = c.held > 0
	}
}

// settle makes c one that the rule counts.
func (b *budget) settle(c *claim) {
	if c.loose {
		c.loose = false
		b.loose -= c.held
	}
}
