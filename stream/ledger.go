package stream

import (
	"io"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thaw-go/thaw/internal/meter"
	"github.com/thaw-go/thaw/stream/internal/kept"
)

// ledger is what is known of a job, or of the read of one object: what became of its
// objects and records, the figures of its report, and what the next manifest says.
// Its methods may be called by many goroutines.
type ledger struct {
	start              time.Time
	cpuUser, cpuSystem time.Duration // of the process at start

	hasFirst atomic.Bool // stats.first is set

	mu       sync.Mutex
	counts   Counts // of this run
	stats    stats
	failed   kept.List[QuarantineEntry] // of this run
	failures kept.List[QuarantineEntry] // of all runs
	backlog  backlog
	ended    error // what ended the read of one object, io.EOF among them
}

// newLedger returns a ledger that begins now.
func newLedger() *ledger {
	l := &ledger{start: time.Now(), backlog: backlog{open: map[int64]ManifestEntry{}}}
	l.cpuUser, l.cpuSystem = meter.CPU()
	return l
}

// count adds c to what this run has counted.
func (l *ledger) count(c Counts) {
	l.mu.Lock()
	l.counts.add(c)
	l.mu.Unlock()
}

// outcome counts c of a task: what became of it.
func (l *ledger) outcome(t *task, c Counts) {
	t.entry.counts.add(c)
	l.count(c)
}

// read counts c of a task, what was read of it, of which again was decoded once more.
func (l *ledger) read(t *task, c Counts, again redecodedBytes) {
	t.entry.counts.add(c)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts.add(c)
	if c.Redecoded != 0 {
		l.stats.redecoded.add(t.obj.Key, &t.entry.redecoded, again)
	}
}

// again takes back the counts of records that will be counted again.
func (l *ledger) again(t *task) {
	l.outcome(t, Counts{}.sub(t.entry.since))
	t.entry.since, t.entry.lost = Counts{}, false
}

// opened notes what opening an object has shown.
func (l *ledger) opened(t *task, o *objectFacts, framer FramerReport) {
	info := o.object.info
	l.mu.Lock()
	defer l.mu.Unlock()
	e := &t.entry
	if d := max(info.Size, 0) - e.tally.Size; d != 0 {
		e.tally.Size += d
		l.counts.Listed.Size += d
		e.counts.Listed.Size += d
	}
	t.obj = info
	if !e.opened { // else it is read again
		e.opened = true
		l.stats.chose(o, framer)
		l.stats.read(o.detection, 1, 0, 0, 0)
	}
}

// objectRead adds one reading of an object, which ended with err, to the figures of
// its codec. busy is its time in stage decode.
func (l *ledger) objectRead(o *objectFacts, stored, decoded int64, busy time.Duration, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.read(o.detection, 0, stored, decoded, busy)
	if err == nil {
		l.stats.leftOut(o)
	}
}

// finish counts an object that was read to its proven end and has so many records.
func (l *ledger) finish(t *task, o *objectFacts, records int64) {
	c := Counts{Done: t.entry.tally}
	c.Done.Delivered = t.entry.counts.Listed.Delivered
	switch {
	case o.object.info.Size == 0:
		c.Empty = 1
	case records == 0:
		c.NoRecords = 1
	}
	t.entry.done = true
	if o.doubt != "" {
		c.Doubtful = 1
		t.entry.doubtful = true
	}
	l.mu.Lock()
	l.stats.noted(o.object.info.Key, o.detection.Notes)
	l.mu.Unlock()
	l.outcome(t, c)
}

// totals returns what a policy may weigh a failure in t against: what is counted, and
// records of a batch that is being written.
func (l *ledger) totals(t *task, delivered, left int64) Totals {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.backlog.earlier
	all.add(l.counts)
	own := &t.entry.counts
	return Totals{
		Delivered: all.Delivered() + delivered, LeftOut: all.RecordsSkipped + left,
		ObjectDelivered: own.Delivered() + delivered, ObjectLeftOut: own.RecordsSkipped + left,
		Done: all.Done.Objects, ObjectsLeftOut: all.Skipped.Objects - all.noData(),
	}
}

// withdraw takes back the outcomes of tasks that no flush has covered: the next run
// reads them again, so that they are not done.
func (l *ledger) withdraw(finished []*task) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range finished {
		l.counts = l.counts.sub(t.entry.counts.sub(t.entry.flushed).outcomes())
	}
}

// keepFailure keeps what the manifest and the report have room for.
func (l *ledger) keepFailure(e *Error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	entry := e.keptEntry()
	l.failures.Add(entry, entry.same)
	l.failed.Add(entry, entry.same)
}

// firstRecord notes, once, that the first record was ready at now, and the stages of
// its lane until then.
func (l *ledger) firstRecord(now time.Time, m *meter.Meter) {
	if l.hasFirst.Load() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hasFirst.Load() {
		return
	}
	l.hasFirst.Store(true)
	l.stats.first = FirstRecord{After: now.Sub(l.start), Stages: stagesOf(m.At(now))}
}

// sampleHeap notes the largest heap seen: live objects and those not yet swept.
func (l *ledger) sampleHeap() {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 {
		return
	}
	l.mu.Lock()
	l.stats.peakHeap = max(l.stats.peakHeap, int64(s[0].Value.Uint64()))
	l.mu.Unlock()
}

// countRequests returns t with requests counted first.
func (l *ledger) countRequests(t Trace) *Trace {
	t.Request = join(func(q Request) {
		l.mu.Lock()
		l.stats.requests.add(q)
		l.mu.Unlock()
	}, t.Request)
	return &t
}

// saved notes one save of the manifest.
func (l *ledger) saved(err error, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		l.stats.saves++
		l.backlog.pending.saved()
	} else {
		l.backlog.dirty = true
	}
	l.stats.saveTime += took
}

// progress returns the progress of the job. held is how many objects wait for a restore.
func (l *ledger) progress(now time.Time, held int) Progress {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := &l.counts
	return Progress{
		Elapsed: now.Sub(l.start), Listed: c.Listed.Objects, ListedBytes: c.Listed.Size, ListingDone: l.backlog.listed,
		Done:     c.Done.Objects + c.Skipped.Objects + c.Failed.Objects,
		Deferred: int64(held),
		Stored:   c.Stored, Decoded: c.Decoded, Records: c.Delivered(),
	}
}

// readTo counts the one object of a read up to err, which is nil before its end. now is
// what was read of it so far, before is what now was at the last call, and again what was
// decoded again since memory ran short. places are those of the object.
func (l *ledger) readTo(facts *objectFacts, now, before CodecReport, again int64, places *redecodedPlaces, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = err
	c := &l.counts
	l.stats.redecoded.add(facts.object.info.Key, places, redecodedBytes{RedecodeReopened: again - c.Redecoded})
	c.Stored, c.Decoded, c.Redecoded = now.Stored, now.Decoded, again
	l.stats.read(facts.detection, now.Objects-before.Objects, now.Stored-before.Stored, now.Decoded-before.Decoded, now.Busy-before.Busy)
	switch {
	case err == nil:
	case err == io.EOF:
		c.Done = c.Listed
		l.stats.leftOut(facts)
		l.stats.noted(facts.object.info.Key, facts.detection.Notes)
		if facts.doubt != "" {
			c.Doubtful = 1
		}
	case ClassOf(err) != ClassCanceled:
		c.Failed = c.Listed
	}
}

// countRecords counts c and the framer of the one object of a read.
func (l *ledger) countRecords(facts *objectFacts, framer FramerReport, c Counts) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts.add(c)
	l.stats.chose(facts, framer)
}

// endedUnread notes that the one object of a read could not be opened.
func (l *ledger) endedUnread(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = err
	if ClassOf(err) != ClassCanceled {
		l.counts.Failed = l.counts.Listed
	}
}

// listedOne counts the one object of a read.
func (l *ledger) listedOne(size int64) {
	l.mu.Lock()
	l.counts.Listed = Tally{Objects: 1, Size: size}
	l.backlog.listed = true
	l.mu.Unlock()
}
