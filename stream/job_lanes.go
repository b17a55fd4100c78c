package stream

import (
	"context"
	"sync"
	"time"

	"github.com/thaw-go/thaw/internal/meter"
	"github.com/thaw-go/thaw/stream/internal/memory"
)

// crew starts the lanes of a job: the first with the job, another one with each
// object that is handed out, up to most. So lanes are never more than objects, and
// no lane stands beside a job from its beginning with nothing to do.
type crew struct {
	job    *job
	lanes  []*lane // that have started
	most   int
	terms  memory.Terms    // of each lane
	source *memory.Lane    // stands for the lister: what the source reads with the job's Pool
	past   []entered       // what a lane that starts later would have been in
	wctx   context.Context // of reading: it ends with the job, or when it drains
	sctx   context.Context // of calls of the sink: it ends with the job
	ctx    context.Context // the user's

	mu      sync.Mutex
	tasks   int // handed out
	running int
	over    bool // no lane starts any more
	refused bool // the last lane to be started got no memory
	done    chan struct{}
}

// entered is a stage that all lanes went to.
type entered struct {
	at    time.Time
	stage meter.Stage
}

// hire makes a lane that has its memory. Its clock runs from the start of the job.
func (c *crew) hire(m *memory.Lane) {
	j := c.job
	l := newLane(c.ctx, len(c.lanes), j.pool, m, j.ledger.countRequests(j.guarded()))
	l.meter.Start(j.ledger.start, meter.Queue) // memory may have been waited for
	for _, e := range c.past {
		l.meter.EnterAt(e.at, e.stage)
	}
	c.lanes = append(c.lanes, l)
}

// begin lets the first lane run.
func (c *crew) begin(wctx, sctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wctx, c.sctx, c.done = wctx, sctx, make(chan struct{})
	c.start(c.lanes[0])
}

// grow counts a task that is handed out, and starts one more lane for it if there are
// too few.
func (c *crew) grow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tasks++
	c.tryStart()
}

// retry starts one more lane for tasks that wait, if one got no memory before: objects
// that lanes had begun may have held it.
func (c *crew) retry() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refused {
		c.tryStart()
	}
}

// tryStart starts a lane if there are fewer than tasks were handed out, there may be one
// more and it gets its memory.
func (c *crew) tryStart() {
	if c.over || len(c.lanes) >= min(c.most, c.tasks) {
		return
	}
	// A source that reads with the Pool of the job needs memory, too.
	spare := 0
	if c.source.ContextUsed() {
		spare = 1
	}
	ms := c.job.pool.budget.TryEnter(1+spare, c.terms)
	if c.refused = len(ms) < 1+spare; !c.refused {
		c.hire(ms[0])
		ms = ms[1:]
		c.start(c.lanes[len(c.lanes)-1])
	}
	for _, m := range ms {
		m.Leave()
	}
}

func (c *crew) start(l *lane) {
	c.running++
	go func() {
		defer c.ended()
		c.job.guard(func() { (&worker{job: c.job, lane: l}).run(c.wctx, c.sctx, c.ctx) })
	}()
}

func (c *crew) ended() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running--; c.running == 0 {
		c.over = true
		close(c.done)
	}
}

// whyFewer is why fewer lanes ran than the job might have had.
func (c *crew) whyFewer() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case len(c.lanes) >= c.most:
		return ""
	case c.refused || len(c.lanes) == c.fit():
		return "memory"
	}
	return "objects"
}

// enter brings all lanes, and those that start later, to a stage while none of them
// runs.
func (c *crew) enter(now time.Time, s meter.Stage) {
	c.past = append(c.past, entered{now, s})
	for _, l := range c.lanes {
		l.meter.EnterAt(now, s)
	}
}

// started returns the lanes that have started.
func (c *crew) started() []*lane {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lanes[:len(c.lanes):len(c.lanes)]
}

// release returns what the lanes hold.
func (c *crew) release() {
	for _, l := range c.lanes {
		l.account.Close()
		l.memory.Leave()
	}
}

// limit is how many lanes may run.
func (c *crew) limit() int { return max(1, min(c.most, c.fit())) }

// fit is how many lanes fit into the Pool.
func (c *crew) fit() int { return c.job.pool.budget.Fit(c.terms) }

// waitedFor returns what lanes wait for in a stage; nil for nothing that holds memory.
func (c *crew) waitedFor(waiting meter.Stage) *memory.Lane {
	if waiting == meter.List {
		return c.source
	}
	return nil
}
