package simlink

import (
	"math/bits"
	"time"
)

// pipe is a rate and the moment when what was booked on it has passed.
type pipe struct {
	rate int64     // bytes a second; 0: no limit
	base time.Time // when the first of the sent bytes began
	sent int64     // bytes since base
}

// book adds n bytes that begin at start or when those booked before have passed,
// whichever is later, and gives the moment when they have passed.
func (p *pipe) book(start time.Time, n int64) time.Time {
	if p.rate <= 0 {
		return start
	}
	if start.After(p.free()) {
		p.base, p.sent = start, 0
	}
	p.sent += n
	p.base = p.base.Add(time.Duration(p.sent/p.rate) * time.Second)
	p.sent %= p.rate
	return p.free()
}

// free is the moment when everything booked has passed.
func (p *pipe) free() time.Time { return p.base.Add(span(p.sent, p.rate)) }

// span is how long n bytes take, n being less than a second's.
func span(n, rate int64) time.Duration {
	if rate <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(n), uint64(time.Second))
	d, _ := bits.Div64(hi, lo, uint64(rate))
	return time.Duration(d)
}
