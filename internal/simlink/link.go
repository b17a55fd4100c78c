package simlink

import (
	"context"
	"sync"
	"time"
)

// Window is how much of its rate a connection catches up when its user was away:
// the time that a socket's buffer holds.
const Window = 20 * time.Millisecond

// Link is what connections share. It is safe for concurrent use.
type Link struct {
	perConn int64

	mu    sync.Mutex
	total pipe
}

// New is a link of perConn bytes a second over each connection and total bytes a
// second over all. 0 means no limit.
func New(perConn, total int64) *Link {
	return &Link{perConn: perConn, total: pipe{rate: total}}
}

// Conn is one connection. It belongs to one goroutine.
type Conn struct {
	link *Link
	own  pipe
	last time.Time // when its last byte had passed
}

// Conn is a new connection whose first byte may pass from now on.
func (l *Link) Conn() *Conn {
	return &Conn{link: l, own: pipe{rate: l.perConn}, last: time.Now()}
}

// Pass waits until n more bytes have passed. The error is that of ctx.
func (c *Conn) Pass(ctx context.Context, n int) error {
	now := time.Now()
	start := now.Add(-Window)
	if c.last.After(start) {
		start = c.last
	}
	c.last = c.own.book(start, int64(n))
	if all := c.link.book(start, int64(n)); all.After(c.last) {
		c.last = all
	}
	return Until(ctx, c.last)
}

func (l *Link) book(start time.Time, n int64) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.total.book(start, n)
}

const (
	step    = 2 * time.Millisecond
	maxStep = 256 << 10
)

// Step is how many bytes to pass at once: what arrives within 2 ms, 256 KiB at
// most. Fewer cost timers, more make the flow jump.
func (c *Conn) Step() int {
	rate := c.link.perConn
	if total := c.link.total.rate; rate == 0 || 0 < total && total < rate {
		rate = total
	}
	if n := rate / int64(time.Second/step); rate > 0 && n < maxStep {
		return int(max(n, 1))
	}
	return maxStep
}

// Until waits for a moment. The error is that of ctx.
func Until(ctx context.Context, when time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d := time.Until(when)
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
