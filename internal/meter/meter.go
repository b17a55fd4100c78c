// Package meter attributes elapsed time to stages, exclusively: a Meter is in
// exactly one stage at any moment, so its totals add up to the time it ran.
package meter

import (
	"sync"
	"time"
)

// Stage is what a lane or a unit of work is doing.
type Stage uint8

// The stages, in the order in which reports show them.
const (
	List       Stage = iota // without an object while the catalogue is read
	Plan                    // reading footers, indexes, statistics
	Restore                 // waiting for an archive tier
	Queue                   // waiting for a worker permit or for memory
	Fetch                   // waiting for stored bytes
	Decode                  // decompressing
	Frame                   // finding record ends
	Parse                   // the user's parsing
	Sink                    // the user's Write and Flush
	Checkpoint              // saving the manifest
	Idle                    // nothing left to do

	Stages = int(Idle) + 1
)

var names = [Stages]string{
	"list", "plan", "restore", "queue", "fetch", "decode", "frame", "parse", "sink", "checkpoint", "idle",
}

// String returns the name that reports and labels use.
func (s Stage) String() string { return names[s] }

// Totals are durations by stage.
type Totals [Stages]time.Duration

// Sum is the time in all stages.
func (t Totals) Sum() time.Duration {
	var sum time.Duration
	for _, d := range t {
		sum += d
	}
	return sum
}

// Add adds u to t.
func (t *Totals) Add(u Totals) {
	for i := range t {
		t[i] += u[i]
	}
}

// Meter is switched by one goroutine and may be read by others. The zero value
// must be started.
type Meter struct {
	began time.Time // written by Start alone; what is measured from it needs one clock, not two
	mu    sync.Mutex
	stage Stage
	since time.Time
	total Totals
}

// Start begins to count in stage s from now on.
func (m *Meter) Start(now time.Time, s Stage) {
	m.mu.Lock()
	m.began, m.stage, m.since, m.total = now, s, now, Totals{}
	m.mu.Unlock()
}

// Enter charges the time since the last switch to the stage that is left, enters
// s, and returns the stage left and the time of the switch.
func (m *Meter) Enter(s Stage) (left Stage, now time.Time) {
	now = m.began.Add(time.Since(m.began))
	return m.EnterAt(now, s), now
}

// EnterAt is Enter at a given time, which is not before the last switch.
func (m *Meter) EnterAt(now time.Time, s Stage) (left Stage) {
	m.mu.Lock()
	left = m.stage
	m.total[left] += now.Sub(m.since)
	m.stage, m.since = s, now
	m.mu.Unlock()
	return left
}

// Move charges d of what was charged to one stage, or will be by the next switch, to another.
func (m *Meter) Move(from, to Stage, d time.Duration) {
	m.mu.Lock()
	m.total[from] -= d
	m.total[to] += d
	m.mu.Unlock()
}

// Stage is the stage the Meter is in.
func (m *Meter) Stage() Stage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stage
}

// StageSince is the stage the Meter is in, and since when.
func (m *Meter) StageSince() (Stage, time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stage, m.since
}

// At returns the totals up to now, the running stage included.
func (m *Meter) At(now time.Time) Totals {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.total
	t[m.stage] += now.Sub(m.since)
	return t
}
