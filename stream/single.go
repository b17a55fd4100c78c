package stream

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/meter"
)

// single is one lane on the user's goroutine, for one object. Its job does no
// work: it counts and reports.
type single struct {
	ctx  context.Context
	lane *lane
	read readConfig
	job  *job
	told CodecReport   // what the job knows of the object
	err  error         // that ended the read, io.EOF among them; guarded by the job
	done chan struct{} // closed by end
	at   time.Time     // when it ended
}

// begin takes a lane of the pool. Its errors are of the object named key.
func (s *single) begin(ctx context.Context, store *blob.Store, key string, opts *ReadOptions) error {
	err := s.prepare(ctx, store, opts)
	if err != nil {
		return &Error{Source: store.Name(), Key: key, Class: classOf(err), Err: err}
	}
	return nil
}

func (s *single) prepare(ctx context.Context, store *blob.Store, opts *ReadOptions) error {
	pool := opts.Pool
	if pool == nil {
		pool = NewPool(nil)
	}
	var err error
	if s.read, err = opts.resolve(pool); err != nil {
		return err
	}
	terms, err := pool.terms(&s.read)
	if err != nil {
		return err
	}
	s.ctx, s.done = ctx, make(chan struct{})
	s.job = &job{start: time.Now(), trace: &Trace{}, pool: pool, src: blob.Source{Name: store.Name()}}
	s.job.cpuUser, s.job.cpuSystem = meter.CPU()
	terms.Outer = pool.budget.LaneOf(ctx)
	m, err := pool.budget.Enter(ctx, terms)
	if err != nil {
		return err
	}
	l := newLane(ctx, 0, pool, m, s.job.countRequests())
	l.borrow()
	l.meter.Start(s.job.start, meter.Queue)
	s.lane, s.job.lanes = l, []*lane{l}
	return nil
}

// note counts an object that was opened.
func (s *single) note(o objectReader) {
	j := s.job
	j.mu.Lock()
	j.counts.Listed = Tally{Objects: 1, Bytes: o.facts().object.info.Size}
	j.listed = true
	j.mu.Unlock()
}

// account counts what was read of it up to err, which is nil before its end.
func (s *single) account(o objectReader, err error) {
	j := s.job
	facts := o.facts()
	stored, decoded, again := o.progress()
	now := CodecReport{Objects: 1, Stored: stored, Decoded: decoded, Busy: s.lane.meter.At(time.Now())[meter.Decode]}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.counts.Stored, j.counts.Decoded, j.counts.Redecoded = stored, decoded, again
	j.stats.read(facts.detection, now.Objects-s.told.Objects, now.Stored-s.told.Stored, now.Decoded-s.told.Decoded, now.Busy-s.told.Busy)
	s.told, s.err = now, err
	switch {
	case err == io.EOF:
		j.counts.Done = j.counts.Listed
		j.stats.leftOut(facts)
		j.stats.noted(facts.object.info.Key, facts.detection.Notes)
		if facts.doubt != "" {
			j.counts.Doubtful = 1
		}
	case err != nil && ClassOf(err) != ClassCanceled:
		j.counts.Failed = j.counts.Listed
	}
}

// firstAt notes when the first bytes were ready.
func (s *single) firstAt(l *lane) { s.job.firstRecord(l, time.Now()) }

// report is that of the one lane, up to now or to its end.
func (s *single) report() *Report {
	s.job.mu.Lock()
	err := s.err
	s.job.mu.Unlock()
	if err == io.EOF {
		err = nil
	}
	select {
	case <-s.done:
		return s.job.reportAt(s.at, err)
	default:
		return s.job.reportAt(time.Now(), err)
	}
}

func (s *single) closed() error { return fmt.Errorf("stream: %w", fs.ErrClosed) }

// end returns what the lane holds.
func (s *single) end() {
	_, s.at = s.lane.enter(meter.Sink)
	s.lane.close()
	close(s.done)
}

var _ io.WriterTo = (*Reader)(nil)
