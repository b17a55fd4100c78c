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
	job       *job
	most      int
	terms     memory.Terms // of each lane
	source    *memory.Lane // stands for the lister: what the source reads with the job's Pool
	past      []entered    // what a lane that starts later would have been in
	wctx, ctx context.Context

	mu      sync.Mutex
	tasks   int // handed out
	running int
	over    bool // no lane starts any more
	refused bool // a lane got no floor
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
	l := newLane(c.ctx, len(j.lanes), j.pool, m, j.countRequests())
	l.meter.Start(j.start, meter.Queue) // a floor may have been waited for
	for _, e := range c.past {
		l.meter.EnterAt(e.at, e.stage)
	}
	j.lanes = append(j.lanes, l)
}

// begin lets the first lane run.
func (c *crew) begin(wctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wctx, c.done = wctx, make(chan struct{})
	c.start(c.job.lanes[0])
}

// grow starts one more lane for a task that is handed out, if there are not enough,
// there may be one and it gets a floor.
func (c *crew) grow() {
	j := c.job
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tasks++
	if c.over || len(j.lanes) >= min(c.most, c.tasks) {
		return
	}
	// A source that reads with the Pool of the job needs a floor, too.
	spare := 0
	if c.source.ContextUsed() {
		spare = 1
	}
	ms := j.pool.budget.TryEnter(1+spare, c.terms)
	if len(ms) == 1+spare {
		c.hire(ms[0])
		ms = ms[1:]
		c.start(j.lanes[len(j.lanes)-1])
	} else {
		c.refused = true
	}
	for _, m := range ms {
		m.Leave()
	}
}

func (c *crew) start(l *lane) {
	c.running++
	go func() {
		defer c.ended()
		c.job.guard(func() { (&worker{job: c.job, lane: l}).run(c.wctx, c.ctx) })
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
	if c == nil {
		return ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case len(c.job.lanes) >= c.most:
		return ""
	case c.refused || len(c.job.lanes) == c.fit():
		return "memory"
	}
	return "objects"
}

// fit is how many lanes fit into the Pool.
func (c *crew) fit() int { return c.job.pool.budget.Fit(c.terms) }

// source is what lanes wait for in a stage.
func (j *job) source(waiting meter.Stage) *memory.Lane {
	if waiting == meter.List {
		return j.crew.source
	}
	return nil
}
