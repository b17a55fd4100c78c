package stream

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/meter"
	"github.com/thaw-go/thaw/stream/internal/kept"
)

// stats are the figures of a job beside its counts.
type stats struct {
	codecs    map[string]*CodecReport
	framers   map[FramerReport]int64 // by all but Objects
	conflicts []string
	notes     []NoteReport
	requests  RequestReport
	saves     int64
	saveTime  time.Duration
	peakHeap  int64
	first     FirstRecord
}

// maxConflicts is how many conflicts of evidence a report keeps.
const maxConflicts = 100

// chose notes the codec and framer of an object that was opened.
func (s *stats) chose(b *batcher) {
	d := &b.reader.facts().detection
	if s.framers == nil {
		s.framers = map[FramerReport]int64{}
	}
	s.framers[framerReport(b)]++
	for _, c := range d.Conflicts {
		if len(s.conflicts) < maxConflicts {
			s.conflicts = append(s.conflicts, kept.Text(shown(b.reader.facts().object.info.Key)+": "+d.Codec+" by "+string(d.Evidence)+", but "+c))
		}
	}
}

// leftOut notes stored bytes behind the last member that were accepted as none:
// by option, or since the format's own rules ignore them.
func (s *stats) leftOut(o *objectFacts) {
	if o.trailing > 0 && len(s.conflicts) < maxConflicts {
		s.conflicts = append(s.conflicts, kept.Text(fmt.Sprintf("%s: %d bytes from stored offset %d on are no %s member and were left out",
			shown(o.object.info.Key), o.trailing, o.trailingAt, o.detection.Codec)))
	}
}

// noted counts what was noted about an object that was read.
func (s *stats) noted(key string, notes []string) {
	for _, note := range notes {
		i := slices.IndexFunc(s.notes, func(n NoteReport) bool { return n.Note == note })
		switch {
		case i >= 0:
			s.notes[i].Objects++
		case len(s.notes) < maxConflicts:
			s.notes = append(s.notes, NoteReport{Note: note, Objects: 1, First: key})
		}
	}
}

// read adds what one object's decoding took, all layers together.
func (s *stats) read(d codec.Detection, objects, stored, decoded int64, busy time.Duration) {
	if s.codecs == nil {
		s.codecs = map[string]*CodecReport{}
	}
	name := d.Name()
	c := s.codecs[name]
	if c == nil {
		c = &CodecReport{Codec: name}
		s.codecs[name] = c
	}
	c.Objects += objects
	c.Stored += stored
	c.Decoded += decoded
	c.Busy += busy
}

// fill completes a report.
func (s *stats) fill(r *Report) {
	r.Codecs, r.Framers = []CodecReport{}, []FramerReport{}
	for _, c := range s.codecs {
		r.Codecs = append(r.Codecs, *c)
	}
	slices.SortFunc(r.Codecs, func(a, b CodecReport) int { return cmp.Compare(a.Codec, b.Codec) })
	for f, n := range s.framers {
		f.Objects = n
		r.Framers = append(r.Framers, f)
	}
	slices.SortFunc(r.Framers, func(a, b FramerReport) int {
		return cmp.Or(cmp.Compare(a.Framer, b.Framer), cmp.Compare(a.evidence(), b.evidence()))
	})
	r.Conflicts, r.Notes = slices.Clone(s.conflicts), slices.Clone(s.notes)
	r.Requests, r.Saves, r.SaveTime = s.requests, s.saves, s.saveTime
	r.PeakHeap, r.FirstRecord = s.peakHeap, s.first
}

// countRequests is the trace of the job with requests counted first. That hook is
// called on goroutines of the store's.
func (j *job) countRequests() *Trace {
	t := *j.trace
	if hook := t.Request; hook != nil {
		t.Request = func(q Request) { j.guard(func() { hook(q) }) }
	}
	t.Request = join(func(q Request) {
		j.mu.Lock()
		j.stats.requests.add(q)
		j.mu.Unlock()
	}, t.Request)
	return &t
}

func (r *RequestReport) add(q Request) {
	r.Count++
	if q.Err != nil {
		r.Failed++
	}
	r.Bytes += q.Got
	r.FirstByte += q.FirstByte
	r.Total += q.Total
}

// firstRecord notes when the first record was ready, once.
func (j *job) firstRecord(l *lane, now time.Time) {
	if j.hasFirst.Load() {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.hasFirst.Load() {
		return
	}
	j.hasFirst.Store(true)
	j.stats.first = FirstRecord{After: now.Sub(j.start), Stages: stagesOf(l.meter.At(now))}
}

// report is made at the job's end, which is now.
func (j *job) report(err error) *Report { return j.reportAt(time.Now(), err) }

// totals are those of the lanes at now, or later if a lane that runs was switched
// since.
func (j *job) totals(now time.Time) (time.Time, []meter.Totals) {
	totals := make([]meter.Totals, len(j.lanes))
	for i := 0; i < len(totals); i++ {
		totals[i] = j.lanes[i].meter.At(now)
		if slices.Min(totals[i][:]) < 0 {
			i, now = -1, time.Now()
		}
	}
	return now, totals
}

func (j *job) reportAt(now time.Time, err error) *Report {
	j.sampleHeap()
	now, totals := j.totals(now)
	user, system := meter.CPU()
	r := &Report{
		Source: shown(j.src.Name), Lanes: len(j.lanes), Wall: now.Sub(j.start), PerLane: []Stages{},
		CPUUser: user - j.cpuUser, CPUSystem: system - j.cpuSystem,
	}
	if j.crew != nil {
		r.MaxLanes, r.FewerLanes = j.crew.most, j.crew.whyFewer()
	}
	if j.pool != nil {
		r.Workers, r.Memory, r.PeakUsed = j.pool.workers, j.pool.memory, j.pool.budget.Peak()
	}
	var sum meter.Totals
	for _, t := range totals {
		sum.Add(t)
		r.PerLane = append(r.PerLane, stagesOf(t))
	}
	r.Stages = stagesOf(sum)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.stats.fill(r)
	r.Counts, r.Earlier = j.counts, j.earlier
	if j.takenBack {
		r.Counts = r.Counts.sub(j.listedNow.outcomes())
	}
	r.Failures = j.failed.All()
	r.Resumed, r.Listed, r.Stopped = j.resumed, j.listed, j.stopped
	r.Drained = r.Listed && r.Counts.Remaining().Objects == 0
	if err != nil {
		r.Error, r.Class = kept.Text(err.Error()), ClassOf(err).String()
	}
	return r
}
