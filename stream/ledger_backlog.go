package stream

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/thaw-go/thaw/blob"
)

// backlog is what the next manifest says: how far the source is listed, and which
// objects before that place are open. It is guarded by the mutex of its ledger.
//
// saved are the counts that flushes cover; they are what the counts of the next run
// build on. Where a listing was out of order, the mark goes back to begun, and what this
// run has listed does not count: listedNow.
type backlog struct {
	mark   blob.Mark
	listed bool                    // the source was read to its end
	open   map[int64]ManifestEntry // listed, and not covered by a flush
	saved  Counts
	dirty  bool // the manifest differs from the one saved last

	begun     blob.Mark // mark at the start of this run
	earlier   Counts    // of the manifest that was loaded
	resumed   bool      // one was
	runs      int
	listedNow Counts // of saved: of objects that this run has listed
	rewound   bool   // these do not count, nor their entries of open: the listing had gaps

	follow      *following      // nil if the job does not
	followBegun *ManifestFollow // at the start of this run

	pending pending
	unknown map[string]json.RawMessage // of the manifest that was loaded
}

// addSaved adds c of a task to the counts of the next manifest.
func (b *backlog) addSaved(t *task, c Counts) {
	b.saved.add(c)
	if t.ordinal > b.begun.Ordinal {
		b.listedNow.add(c)
	}
}

// durable returns the unfinished objects and the counts that the next manifest holds.
func (b *backlog) durable() (open []ManifestEntry, counts Counts) {
	counts = b.saved
	if b.rewound {
		counts = counts.sub(b.listedNow)
	}
	open = []ManifestEntry{}
	for _, e := range b.open {
		if !b.rewound || e.Ordinal <= b.begun.Ordinal {
			open = append(open, e)
		}
	}
	slices.SortFunc(open, func(a, b ManifestEntry) int { return cmp.Compare(a.Ordinal, b.Ordinal) })
	return open, counts
}

// load continues from the manifest of an earlier run; nil means that there is none.
func (l *ledger) load(m *Manifest) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := &l.backlog
	if m == nil {
		b.runs = 1
		return
	}
	b.resumed, b.runs, b.unknown = true, m.Runs+1, m.Unknown
	b.mark = blob.Mark{Ordinal: m.Ordinal, Key: m.Key}
	b.begun = b.mark
	// What was delivered of unfinished objects is done: this run counts the rest.
	m.Counts.Done.Delivered += m.Counts.Remaining().Delivered
	for _, e := range m.Open {
		b.open[e.Ordinal] = e
		// Listed again by this run, with what is left of them.
		m.Counts.Listed.Objects--
		m.Counts.Listed.Size -= max(e.Size, 0)
	}
	b.earlier = m.Counts
	b.saved = m.Counts
	for _, e := range m.Open {
		b.saved.Listed.add(Tally{Objects: 1, Size: max(e.Size, 0)})
	}
	b.pending.load(m.Pending)
	b.followBegun = m.Follow
	for _, f := range m.Failures {
		l.failures.Add(f, f.same)
	}
}

// manifest returns the next manifest of a job, or nil if the last one saved still holds.
func (l *ledger) manifest(id JobID) *Manifest {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := &l.backlog
	if !b.dirty && l.stats.saves > 0 {
		return nil
	}
	m := &Manifest{
		Job: id, Saved: time.Now().UTC(), Runs: b.runs, ListingDone: b.listed,
		Ordinal: b.mark.Ordinal, Key: b.mark.Key, Pending: b.pending.snapshot(), Failures: l.failures.All(), Unknown: b.unknown,
	}
	if m.Follow = b.followBegun; b.follow != nil && !b.rewound {
		m.Follow = b.follow.manifest()
	}
	m.Open, m.Counts = b.durable()
	m.Ended = m.ListingDone && len(m.Open) == 0 && len(m.Pending) == 0
	b.dirty = false
	return m
}

// unfinished returns the open objects of the manifest that was loaded, in source order,
// and the mark after which the source is listed.
func (l *ledger) unfinished() ([]ManifestEntry, blob.Mark) {
	l.mu.Lock()
	defer l.mu.Unlock()
	entries, _ := l.backlog.durable()
	return entries, l.backlog.mark
}

// resume counts an object that an earlier run left open.
func (l *ledger) resume(t *task) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t.entry.tally = Tally{Objects: 1, Size: max(t.obj.Size, 0)}
	l.counts.Listed.add(t.entry.tally)
}

// list counts an object that the source lists, and opens it. An object that is no data
// is skipped instead: out is not the zero value and says what it is.
func (l *ledger) list(t *task, out Counts) {
	t.entry.tally = Tally{Objects: 1, Size: max(t.obj.Size, 0)}
	l.mu.Lock()
	defer l.mu.Unlock()
	b := &l.backlog
	c := Counts{Listed: t.entry.tally}
	if out != (Counts{}) {
		c.add(out)
		c.Skipped = t.entry.tally
	} else {
		b.open[t.ordinal] = entryAt(t.ordinal, t.obj, savepoint{})
	}
	l.counts.add(c)
	b.addSaved(t, c)
	b.mark = blob.Mark{Ordinal: t.ordinal, Key: t.obj.Key}
	if b.follow != nil {
		b.follow.add(t.obj)
	}
	b.dirty = true
}

// endListing notes that the source was read to its end.
func (l *ledger) endListing() {
	l.mu.Lock()
	l.backlog.listed, l.backlog.dirty = true, true
	if f := l.backlog.follow; f != nil {
		f.end()
	}
	l.mu.Unlock()
}

// rewind moves the mark back to where this run began, if the listing was out of order at
// a key before the mark: what this run has listed may have gaps. If the key is before
// that too, the mark moves back to before the key.
func (l *ledger) rewind(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := &l.backlog
	if key >= b.mark.Key {
		return
	}
	b.rewound, b.dirty = true, true
	b.mark = b.begun
	b.pending.rewind(b.begun.Ordinal + 1)
	if key <= b.mark.Key {
		_, n := utf8.DecodeLastRuneInString(key)
		b.mark.Key = key[:len(key)-n]
	}
}

// post moves the manifest after a flush. It closes the finished tasks. If at is not nil,
// the current task continues there, without what was counted since.
func (l *ledger) post(finished []*task, current *task, at *savepoint, since Counts) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := &l.backlog
	for _, t := range finished {
		delete(b.open, t.ordinal)
		b.pending.posted(t)
		b.addSaved(t, t.entry.counts.sub(t.entry.flushed))
		t.entry.flushed = t.entry.counts
	}
	if current != nil && at != nil {
		there := current.entry.counts.sub(since)
		e := entryAt(current.ordinal, current.obj, *at)
		e.LeftOut = current.entry.leftBefore + there.leftOut()
		b.open[current.ordinal] = e
		b.addSaved(current, there.sub(current.entry.flushed))
		current.entry.flushed = there
	}
	b.dirty = b.dirty || len(finished) > 0 || at != nil
}

// finished reports whether nothing is left to do, and all of it is durable.
func (l *ledger) finished() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.backlog.listed && len(l.backlog.open) == 0
}

// resumed reports whether the job continues an earlier run.
func (l *ledger) resumed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.backlog.resumed
}

// listed reports whether the source was read to its end.
func (l *ledger) listed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.backlog.listed
}
