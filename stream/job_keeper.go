package stream

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/metrics"
	"strings"
	"time"

	"github.com/thaw-go/thaw/blob"
)

// keepEvery is how often the keeper looks at memory; it saves and tells progress
// in multiples of it.
const keepEvery = 100 * time.Millisecond

// leastKeep bounds how often the keeper saves, whatever is asked for.
const leastKeep = time.Millisecond

// keep saves the manifest when due, samples memory and tells progress, until ctx
// ends. What it does costs no lane time.
func (j *job) keep(ctx context.Context) {
	tick := time.NewTicker(min(keepEvery, max(j.every, leastKeep)))
	defer tick.Stop()
	lastSave, lastTold, lastSample := j.start, j.start, j.start
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			if now.Sub(lastSample) >= keepEvery {
				lastSample = now
				j.sampleHeap()
			}
			if now.Sub(lastTold) >= time.Second {
				lastTold = now
				call(j.trace.Progress, j.progressNow(now))
			}
			if j.opts.Checkpoint != nil && now.Sub(lastSave) >= j.every {
				lastSave = now
				// Another save follows; the last one must succeed.
				if err := j.save(ctx, false); errors.Is(err, ErrOwner) {
					j.fail(err)
					return
				}
			}
		}
	}
}

func (j *job) progressNow(now time.Time) Progress {
	var held int
	if j.restoring != nil {
		held, _, _ = j.restoring.state()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	c := &j.counts
	return Progress{
		Elapsed: now.Sub(j.start), Listed: c.Listed.Objects, ListedBytes: c.Listed.Bytes, ListingDone: j.listed,
		Done:     c.Done.Objects + c.Skipped.Objects + c.Failed.Objects,
		Deferred: int64(held),
		Stored:   c.Stored, Decoded: c.Decoded, Records: c.Records(),
	}
}

// sampleHeap notes the largest heap seen: live objects and those not yet swept.
func (j *job) sampleHeap() {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 {
		return
	}
	j.mu.Lock()
	j.stats.peakHeap = max(j.stats.peakHeap, int64(s[0].Value.Uint64()))
	j.mu.Unlock()
}

// differences says how the job of a manifest differs from this one.
func differences(its, this JobID) string {
	var parts []string
	for _, field := range []struct{ name, its, this, none string }{
		{"source", its.Source, this.Source, "none"},
		{"framer", its.Frame, this.Frame, "chosen by extension"},
		{"codec", its.Codec, this.Codec, "detected"},
	} {
		if field.its != field.this {
			parts = append(parts, fmt.Sprintf("its %s is %s, here it is %s",
				field.name, cmp.Or(field.its, field.none), cmp.Or(field.this, field.none)))
		}
	}
	return strings.Join(parts, "; ")
}

// load takes up an earlier run's manifest.
func (j *job) load(ctx context.Context, c Checkpoint) error {
	data, err := c.Load(ctx)
	if err != nil {
		return fmt.Errorf("stream: checkpoint: %w", err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		j.runs = 1
		return nil
	}
	m, err := ParseManifest(data)
	if err != nil {
		if named, ok := c.(fmt.Stringer); ok {
			return fmt.Errorf("stream: checkpoint: %s: %w", named, err)
		}
		return fmt.Errorf("stream: checkpoint: %w", err)
	}
	if id := j.id(); m.Job != id {
		return fmt.Errorf("%w: %s", ErrOtherJob, differences(m.Job, id))
	}
	j.resumed, j.runs = true, m.Runs+1
	j.mark = blob.Mark{Ordinal: m.Ordinal, Key: m.Key}
	j.begun = j.mark
	// What was delivered of unfinished objects is done: this run counts the rest.
	m.Counts.Done.Records += m.Counts.Remaining().Records
	for _, e := range m.Open {
		j.open[e.Ordinal] = e
		// Listed again by this run, with what is left of them.
		m.Counts.Listed.Objects--
		m.Counts.Listed.Bytes -= max(e.Size, 0)
	}
	j.earlier = m.Counts
	j.saved = m.Counts
	for _, e := range m.Open {
		j.saved.Listed.add(Tally{Objects: 1, Bytes: max(e.Size, 0)})
	}
	for _, f := range m.Failures {
		j.failures.Add(f, f.same)
	}
	return nil
}

func (j *job) id() JobID {
	return JobID{Source: j.src.Name, Frame: j.read.Frame, Codec: j.read.Codec}
}

// save writes the manifest if it differs from the one saved last. One that the
// job's end breaks off is no failure: the last one follows.
func (j *job) save(ctx context.Context, last bool) error {
	j.mu.Lock()
	if !j.dirty && j.stats.saves > 0 {
		j.mu.Unlock()
		return nil
	}
	m := Manifest{
		Job: j.id(), Saved: time.Now().UTC(), Runs: j.runs, Listed: j.listed,
		Ordinal: j.mark.Ordinal, Key: j.mark.Key, Failures: j.failures.All(),
	}
	m.Open, m.Counts = j.durable()
	m.Ended = m.Listed && len(m.Open) == 0
	j.dirty = false
	j.mu.Unlock()
	data, err := m.Encode()
	if err != nil {
		return err
	}
	began := time.Now()
	err = j.opts.Checkpoint.Save(ctx, data)
	took := time.Since(began)
	j.mu.Lock()
	if err == nil {
		j.stats.saves++
	} else {
		j.dirty = true
	}
	j.stats.saveTime += took
	j.mu.Unlock()
	if err == nil || last || ctx.Err() == nil {
		call(j.trace.Checkpoint, CheckpointSave{Bytes: len(data), Elapsed: took, Err: err})
	}
	if err != nil {
		return fmt.Errorf("stream: checkpoint: %w", err)
	}
	return nil
}
