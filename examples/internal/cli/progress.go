package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/thaw-go/thaw/internal/amount"
	"github.com/thaw-go/thaw/stream"
)

// speed is how fast a job read lately.
type speed struct {
	samples []sample // oldest first, a second apart at least
}

// sample is how many stored bytes were read at a moment of the job.
type sample struct {
	at     time.Duration
	stored int64
}

// lately is the time over which a speed is taken.
const lately = 10 * time.Second

// add notes a moment and returns the stored bytes a second since the oldest one
// within reach; 0 where nothing can be said.
func (s *speed) add(at time.Duration, stored int64) float64 {
	if n := len(s.samples); n > 0 && at < s.samples[n-1].at {
		s.samples = nil // another job
	}
	if n := len(s.samples); n == 0 || at-s.samples[n-1].at >= time.Second {
		s.samples = append(s.samples, sample{at, stored})
	}
	for len(s.samples) > 1 && at-s.samples[1].at >= lately {
		s.samples = s.samples[1:]
	}
	first := s.samples[0]
	if at-first.at < time.Second {
		return 0
	}
	return float64(stored-first.stored) / (at - first.at).Seconds()
}

// progress is the line about a job, the most important first: a narrow terminal
// cuts its end. The time left is that of the stored bytes left at the speed of
// late.
func (s *speed) progress(p stream.Progress) string {
	var b strings.Builder
	rate := s.add(p.Elapsed, p.Stored)
	left := ""
	if p.ListingDone && p.ListedBytes > 0 {
		share := min(1, float64(p.Stored)/float64(p.ListedBytes))
		fmt.Fprintf(&b, "%3.0f %% · ", 100*share)
		if rest := p.ListedBytes - p.Stored; rate > 0 && rest > 0 {
			left = " · " + time.Duration(float64(rest)/rate*float64(time.Second)).Round(time.Second).String() + " left"
		}
	}
	fmt.Fprintf(&b, "%d of %s", p.Done, Count(int(p.Listed), "object"))
	if !p.ListingDone {
		b.WriteString(" so far")
	}
	fmt.Fprintf(&b, " · %s", amount.Data(p.Stored))
	if rate > 0 {
		fmt.Fprintf(&b, " at %s/s", amount.Data(int64(rate)))
	}
	b.WriteString(left)
	if p.Deferred > 0 {
		fmt.Fprintf(&b, " · %d archived", p.Deferred)
	}
	fmt.Fprintf(&b, " · %s · %s", Count(int(p.Records), "record"), p.Elapsed.Round(time.Second))
	return b.String()
}
