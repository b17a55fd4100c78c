package stream

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// keepEvery is how often the keeper looks at memory; it saves and reports progress
// in multiples of it.
const keepEvery = 100 * time.Millisecond

// leastKeep bounds how often the keeper saves, whatever is asked for.
const leastKeep = time.Millisecond

// keep saves the manifest when due, samples memory and reports progress, until ctx
// ends. What it does costs no lane time.
func (j *job) keep(ctx context.Context) {
	tick := time.NewTicker(min(keepEvery, max(j.every, leastKeep)))
	defer tick.Stop()
	start := j.ledger.start
	lastSave, lastProgress, lastSample := start, start, start
	var blocked blockedCalls
	for {
		var now time.Time
		select {
		case <-ctx.Done():
			return
		case now = <-tick.C:
		case <-j.ledger.crowded():
			now = time.Now()
		}
		if now.Sub(lastSample) >= keepEvery {
			lastSample = now
			j.ledger.sampleHeap()
		}
		if now.Sub(lastProgress) >= time.Second {
			lastProgress = now
			call(j.trace.Progress, j.progressNow(now))
			if hook := j.trace.SinkBlocked; hook != nil {
				blocked.look(now, j.crew.started(), hook)
			}
		}
		soon, waited := j.ledger.wantsSave()
		if j.opts.Checkpoint == nil || now.Sub(lastSave) < j.every && !soon {
			continue
		}
		lastSave = now
		// Another save follows, and the last one must succeed. One that lanes wait for
		// must, too.
		save := j.save
		if waited {
			save = j.saveSurely
		}
		if err := save(ctx, false); errors.Is(err, ErrOwner) || err != nil && waited && ctx.Err() == nil {
			j.fail(err)
			return
		}
	}
}

func (j *job) progressNow(now time.Time) Progress {
	var held int
	if j.restoring != nil {
		held, _, _ = j.restoring.state()
	}
	return j.ledger.progress(now, held)
}

// differences says how the job of a manifest differs from this one.
func differences(its, this JobID) string {
	var parts []string
	for _, field := range []struct{ name, its, this, none string }{
		{"source", its.Source, this.Source, "none"},
		{"framer", its.Frame, this.Frame, "chosen by extension"},
		{"codec", its.Codec, this.Codec, "detected"},
		{"output", its.Output, this.Output, "not named"},
	} {
		if field.its != field.this {
			parts = append(parts, fmt.Sprintf("its %s is %s, here it is %s",
				field.name, cmp.Or(field.its, field.none), cmp.Or(field.this, field.none)))
		}
	}
	switch {
	case its.Follow && !this.Follow:
		parts = append(parts, "it follows its source, which is not asked for here")
	case this.Follow && !its.Follow:
		parts = append(parts, "it does not follow its source, which is asked for here")
	}
	return strings.Join(parts, "; ")
}

// load continues from the manifest of an earlier run, if there is one.
func (j *job) load(ctx context.Context, c Checkpoint) error {
	data, err := c.Load(ctx)
	if err != nil {
		return fmt.Errorf("stream: checkpoint: %w", err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		j.ledger.load(nil)
		return nil
	}
	m, err := parseManifest(data)
	if err != nil {
		if named, ok := c.(fmt.Stringer); ok {
			return fmt.Errorf("stream: checkpoint: %s: %w", named, err)
		}
		return fmt.Errorf("stream: checkpoint: %w", err)
	}
	if id := j.id(); m.Job != id {
		return fmt.Errorf("%w: %s", ErrOtherJob, differences(m.Job, id))
	}
	j.ledger.load(m)
	return nil
}

// save writes the manifest if it differs from the one saved last. A save that the end
// of the job interrupts is no failure to report: the last one follows.
func (j *job) save(ctx context.Context, last bool) error {
	m := j.ledger.manifest(j.id())
	if m == nil {
		return nil
	}
	data, err := m.Encode()
	if err != nil {
		return err
	}
	began := time.Now()
	err = j.opts.Checkpoint.Save(ctx, data)
	took := time.Since(began)
	j.ledger.saved(err, took)
	j.actor.start()
	if err == nil || last || ctx.Err() == nil {
		call(j.trace.Checkpoint, CheckpointSave{Bytes: len(data), Elapsed: took, Err: err})
	}
	if err != nil {
		return fmt.Errorf("stream: checkpoint: %w", err)
	}
	return nil
}
