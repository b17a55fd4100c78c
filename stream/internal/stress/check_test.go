package stress_test

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream"
)

// recordPolicy decides about records as the job wants, and holds each question
// against the reference.
func (l *ledger) recordPolicy(e *stream.Error, _ stream.Totals) (stream.Action, error) {
	v := version{e.Key, e.Version}
	l.mu.Lock()
	o := l.truth[v]
	l.refused[v]++
	n := l.refused[v]
	l.mu.Unlock()
	index := int64(-1)
	if r, ok := errors.AsType[*stream.RecordError](e); ok {
		index = r.Index
	}
	switch {
	case o == nil:
		l.problem("refused: %v, of an object that never was", e)
	case n > 200*(len(o.records)+10):
		l.problem("%q: refused without end: %v", e.Key, e)
		return stream.Fail, errors.New("endless")
	case e.Class != stream.ClassBadRecord && e.Class != stream.ClassOversized:
		l.problem("%q: record %d is refused as %s: %v", e.Key, index, e.Class, e)
	case o.wild || o.vague || !l.reading.skipRecords || index == int64(len(o.records)) && o.ends.has(e.Class):
	case index < 0 || index >= int64(len(o.records)) || !o.records[index].left:
		l.problem("%q: record %d is refused: %v", e.Key, index, e)
	}
	if l.reading.skipRecords {
		return stream.Skip, nil
	}
	return stream.Fail, nil
}

// objectPolicy is the policy for objects; each question is held against the
// reference.
func (l *ledger) objectPolicy() stream.Policy {
	var policy stream.Policy
	switch l.policy {
	case failFirst:
		policy = func(*stream.Error, stream.Totals) (stream.Action, error) { return stream.Fail, nil }
	case skipAll:
		policy = stream.SkipClasses()
	case retryAndSkip:
		policy = stream.FirstOf(stream.RetryAtMost(2), stream.SkipClasses())
	case quarantine:
		policy = stream.Quarantine(quarantined{l})
	case restoreAndSkip:
		asked := map[string]int{}
		policy = func(e *stream.Error, _ stream.Totals) (stream.Action, error) {
			if asked[e.Key]++; asked[e.Key] <= 3 && e.Class == stream.ClassArchived && l.restore > 0 {
				return stream.RestoreThenRetry, nil
			}
			return stream.Skip, nil
		}
	}
	return func(e *stream.Error, _ stream.Totals) (stream.Action, error) {
		l.judge(e)
		return policy(e, stream.Totals{})
	}
}

// judge says whether an object may fail as it did.
func (l *ledger) judge(e *stream.Error) {
	l.mu.Lock()
	dead := l.dead
	l.failing[e.Key] = e.Class
	l.mu.Unlock()
	o := l.object(e.Key)
	if o == nil {
		l.problem("%q fails, which never was: %v", e.Key, e)
		return
	}
	if dead {
		return
	}
	if !l.may(o, e.Version, e.Class) {
		want := l.truth[version{e.Key, e.Version}]
		l.problem("%v fails as %s: %v; want %v", o, e.Class, e, want)
	}
}

// objectEnd holds an object that ended cleanly against the reference.
func (l *ledger) objectEnd(e stream.ObjectEnd) {
	l.mu.Lock()
	want := l.truth[version{e.Object.Key, e.Object.Version}]
	l.mu.Unlock()
	if e.Err == nil && want != nil && !want.clean {
		l.problem("%q ends cleanly, want %v", e.Object.Key, want)
	}
}

// may says whether an object may fail with a class.
func (l *ledger) may(o *object, v string, c stream.Class) bool {
	l.mu.Lock()
	var ends classes
	for w, want := range l.truth {
		if w.key == o.key && (w.version == v || v == "") {
			ends |= want.ends
		}
	}
	l.mu.Unlock()
	switch c {
	case stream.ClassTransient:
		return l.faults != nil
	case stream.ClassChanged:
		return o.next != nil
	case stream.ClassArchived:
		return (o.archived || o.lapses > 0) && (l.restore == 0 || l.faults != nil) || o.refused
	case stream.ClassUnsupported:
		if o.refused {
			return true
		}
	case stream.ClassDenied:
		return o.denied
	case stream.ClassLimit:
		if !ends.has(c) && !unmended["limits"] {
			opts := l.options(l.run)
			memory := l.memory
			if l.pool == nil {
				memory = l.run.memory
			}
			return l.limited(o, opts, memory, v)
		}
	}
	return ends.has(c) || c == stream.ClassLimit && unmended["limits"]
}

func (l *ledger) object(key string) *object {
	for _, o := range l.objects {
		if o.key == key {
			return o
		}
	}
	return nil
}

// fatal says that an error ends the job for good: its policy fails at the first.
func (l *ledger) fatal(err error) bool {
	var e *stream.Error
	return l.policy == failFirst && errors.As(err, &e) && e.Key != "" && e.Class != stream.ClassTransient && e.Class != stream.ClassChanged && !l.listing(err)
}

// listing says that an error is of the source.
func (l *ledger) listing(err error) bool {
	return errors.Is(err, errListing) && l.source == breaking || len(l.lists) > 0 && errors.Is(err, blob.ErrOrder)
}

// checkReport holds the end of one run against how it was to end.
func (l *ledger) checkReport(u *run, rep *stream.Report, err error) {
	l.mu.Lock()
	ended, dead := l.ended, l.dead
	l.mu.Unlock()
	if dead {
		return
	}
	c := stream.ClassOf(err)
	var e *stream.Error
	switch {
	case err == nil:
	case ended && (u.end.kind == failWrite || u.end.kind == failFlush):
		if !errors.Is(err, errSink) && l.policy == failFirst && errors.As(err, &e) {
			l.judge(e) // it was first
		} else if c != stream.ClassSinkFailed || !errors.Is(err, errSink) {
			l.unexpected(u, err)
		}
	case errors.Is(err, errSink) && u.end.kind == failFlush:
	case ended && (u.end.kind == exitWrite || u.end.kind == panicWrite):
		return
	case u.end.kind == spoil:
		return
	case ended && u.end.kind == cancelRun && c == stream.ClassCanceled && errors.Is(err, context.Canceled):
	case ended && (u.end.kind == cancelRun || u.end.kind == stopRun) && errors.As(err, &e) && unmended["stop class"]:
	case l.listing(err), c == stream.ClassTransient && l.faults != nil:
	case c == stream.ClassTransient && l.puts != nil && rep.Counts.Listed.Objects == 0: // the manifest could not be taken over
	case l.policy == failFirst && errors.As(err, &e):
		l.judge(e)
	default:
		l.unexpected(u, err)
	}
	for i, lane := range rep.PerLane {
		if lane.Sum() != rep.Wall {
			l.problem("job %d: stages of lane %d are %v, wall is %v", l.n, i, lane.Sum(), rep.Wall)
		}
	}
	if rest := rep.Counts.Remaining(); rest.Objects < 0 || rest.Delivered < 0 || rep.Finished && rest.Objects > 0 {
		l.problem("job %d: remaining %+v, finished %v", l.n, rest, rep.Finished)
	}
	var again int64
	for _, r := range rep.Redecoded.Reasons {
		again += r.Decoded
	}
	if again != rep.Counts.Redecoded || again > rep.Counts.Decoded {
		l.problem("job %d: %d bytes decoded again by reason, of %d and of %d decoded", l.n, again, rep.Counts.Redecoded, rep.Counts.Decoded)
	}
	if rep.Complete() && (err != nil || !rep.Finished) {
		l.problem("job %d: complete, though %v", l.n, err)
	}
	if _, err := json.Marshal(rep); err != nil {
		l.problem("job %d: report: %v", l.n, err)
	}
	var opened int64
	for _, f := range rep.Framers {
		opened += f.Objects
	}
	if opened > int64(len(l.started)) && !unmended["counted again"] {
		l.problem("job %d: framers of %d objects, %d were opened", l.n, opened, len(l.started))
	}
}

func (l *ledger) unexpected(u *run, err error) {
	l.problem("job %d (%v): unexpected end, class %s: %v", l.n, u.end, stream.ClassOf(err), err)
}

// checkEnd holds a job that finished against the reference.
func (l *ledger) checkEnd(rep *stream.Report) {
	total := sum(rep.Earlier, rep.Counts)
	if !rep.Finished || !rep.ListingDone {
		l.problem("job %d ends without being finished", l.n)
	}
	sure, clean := true, true
	var want stream.Counts
	for _, o := range l.objects {
		if o.job != l.n || !l.holds(o) {
			continue
		}
		want.Listed.Objects++
		if s, c := l.checkObject(o, &want); !s {
			sure = false
		} else if !c {
			clean = false
		}
	}
	if total.Listed.Objects != want.Listed.Objects {
		l.problem("job %d: %d objects listed, want %d", l.n, total.Listed.Objects, want.Listed.Objects)
	}
	if got := total.Done.Objects + total.Skipped.Objects + total.Failed.Objects; got != want.Listed.Objects {
		l.problem("job %d: %d objects done, skipped or failed, want %d", l.n, got, want.Listed.Objects)
	}
	if !sure {
		return
	}
	if total.Done.Objects != want.Done.Objects || total.Skipped.Objects != want.Skipped.Objects || total.Delivered() != want.Listed.Delivered ||
		total.RecordsSkipped != want.RecordsSkipped || total.RecordsTruncated != want.RecordsTruncated {
		l.problem("job %d: counts are %d done, %d skipped, %d records, %d skipped, %d cut; want %d, %d, %d, %d, %d", l.n,
			total.Done.Objects, total.Skipped.Objects, total.Delivered(), total.RecordsSkipped, total.RecordsTruncated,
			want.Done.Objects, want.Skipped.Objects, want.Listed.Delivered, want.RecordsSkipped, want.RecordsTruncated)
	}
	if clean = clean && want.RecordsSkipped == 0 && want.RecordsTruncated == 0; rep.Complete() != clean {
		l.problem("job %d: complete is %v, want %v", l.n, rep.Complete(), clean)
	}
}

// checkObject holds what became durable of an object against the reference, and
// adds to what is to be counted. It says whether there is one right answer, and
// whether that is a clean end.
func (l *ledger) checkObject(o *object, count *stream.Counts) (sure, clean bool) {
	sure = !(unmended["cut twice"] && l.reading.oversized == stream.TruncateOversized) && !o.refused && !o.archived && o.lapses == 0 && o.next == nil && l.faults == nil
	best := -1
	for v, want := range l.truth {
		if v.key != o.key {
			continue
		}
		missing := l.missing(v, want)
		if best < 0 || missing < best {
			best = missing
		}
		if class, failed := l.failing[o.key]; failed && (!want.ends.has(class) || class == stream.ClassLimit && l.little()) {
			sure = false // of memory, of faults
		}
		if sure = sure && want.sure(); !sure {
			continue
		}
		if clean = want.clean; clean {
			count.Done.Objects++
		} else {
			count.Skipped.Objects++
		}
		for _, w := range want.records {
			switch {
			case w.left:
				count.RecordsSkipped++
				continue
			case w.cut:
				count.RecordsTruncated++
			}
			count.Listed.Delivered++
		}
	}
	if best > 0 && l.complete(o) {
		l.problem("%v: LOST: %d records were never durable", o, best)
	}
	return sure, clean
}

// complete says that nothing but its own content keeps an object from being read.
func (l *ledger) complete(o *object) bool {
	_, failed := l.failing[o.key]
	if failed && (o.archived || o.refused || o.lapses > 0 || o.next != nil || l.faults != nil) {
		return false
	}
	for v, want := range l.truth {
		class, failed := l.failing[o.key]
		if v.key == o.key && failed && (!want.ends.has(class) || class == stream.ClassLimit && (want.wild || l.little())) {
			return false // of memory
		}
	}
	return true
}

// little says that there is little memory, which some objects need more of.
func (l *ledger) little() bool {
	least := l.memory
	for _, u := range l.runs {
		if l.pool == nil {
			least = min(least, u.memory)
		}
	}
	return least < 48<<20
}

// missing counts the records that are certain and never became durable.
func (l *ledger) missing(v version, want *outcome) (n int) {
	if l.sink == wholly && want.ends != 0 {
		return 0
	}
	d := l.durable[v]
	for i, w := range want.records[:want.least] {
		if !w.left && !w.maybe && (i >= len(d) || !d[i]) {
			n++
		}
	}
	return n
}

// checkFailed holds a job that ended with a failure against the reference.
func (l *ledger) checkFailed(rep *stream.Report, err error) {
	if rep.Counts.Failed.Objects == 0 {
		l.problem("job %d: no object is counted as failed by %v", l.n, err)
	}
}

// quarantined is where a quarantine is written.
type quarantined struct{ *ledger }

func (q quarantined) Write(p []byte) (int, error) {
	var e stream.QuarantineEntry
	if err := json.Unmarshal(p, &e); err != nil {
		q.problem("quarantine: %v in %q", err, p)
	}
	return len(p), nil
}

func sum(a, b stream.Counts) stream.Counts {
	add := func(x *stream.Tally, y stream.Tally) {
		x.Objects += y.Objects
		x.Size += y.Size
		x.Delivered += y.Delivered
	}
	add(&a.Listed, b.Listed)
	add(&a.Done, b.Done)
	add(&a.Skipped, b.Skipped)
	add(&a.Failed, b.Failed)
	a.RecordsSkipped += b.RecordsSkipped
	a.RecordsTruncated += b.RecordsTruncated
	return a
}
