package stream

import (
	"io"
	"slices"
	"time"

	"github.com/thaw-go/thaw/internal/meter"
	"github.com/thaw-go/thaw/stream/internal/kept"
)

// reported is what a report is made of.
type reported struct {
	source   string
	pool     *Pool // nil if the options made none
	lanes    []*lane
	ledger   *ledger
	maxLanes int
	fewer    string // why fewer than maxLanes ran
	stopped  bool
}

// totals are those of the lanes at now, or later if a lane that runs was switched
// since.
func (r *reported) totals(now time.Time) (time.Time, []meter.Totals) {
	totals := make([]meter.Totals, len(r.lanes))
	for i := 0; i < len(totals); i++ {
		totals[i] = r.lanes[i].meter.At(now)
		if slices.Min(totals[i][:]) < 0 {
			i, now = -1, time.Now()
		}
	}
	return now, totals
}

// report returns the report of what ran until now. err is what ended a job.
func (r *reported) report(now time.Time, err error) *Report {
	l := r.ledger
	l.sampleHeap()
	now, totals := r.totals(now)
	user, system := meter.CPU()
	rep := &Report{
		Source: shown(r.source), Lanes: len(r.lanes), MaxLanes: r.maxLanes, FewerLanes: r.fewer,
		Wall: now.Sub(l.start), PerLane: []Stages{}, Stopped: r.stopped,
		CPUUser: user - l.cpuUser, CPUSystem: system - l.cpuSystem,
	}
	if r.pool != nil {
		rep.Workers, rep.Memory, rep.PeakMemory = r.pool.workers, r.pool.memory, r.pool.budget.Peak()
	}
	var sum meter.Totals
	for _, t := range totals {
		sum.Add(t)
		rep.PerLane = append(rep.PerLane, stagesOf(t))
	}
	rep.Stages = stagesOf(sum)
	if ended := l.fill(rep); err == nil && ended != io.EOF {
		err = ended
	}
	if err != nil {
		rep.Error, rep.Class = kept.Text(err.Error()), ClassOf(err).String()
	}
	return rep
}

// fill completes a report by what the ledger has, and returns what ended the read of
// one object.
func (l *ledger) fill(r *Report) (ended error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := &l.backlog
	l.stats.fill(r)
	r.Counts, r.Earlier = l.counts, b.earlier
	if b.rewound {
		r.Counts = r.Counts.sub(b.listedNow.outcomes())
	}
	r.Failures = append([]QuarantineEntry{}, l.failed.All()...)
	r.After = b.pending.afterReport()
	r.Resumed, r.ListingDone = b.resumed, b.listed
	if b.follow != nil {
		r.Passes = b.follow.passes
	}
	r.Finished = r.ListingDone && r.Counts.Remaining().Objects == 0
	return l.ended
}
