package streamtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/stream"
)

// sinkCase is one rule and what holds it.
type sinkCase struct {
	name, rule string
	refuses    bool // of Sinks that refuse records
	check      func(ctx context.Context, p Place) error
}

var sinkCases = []sinkCase{
	{"complete", "every record becomes durable once and in order, on several lanes", false, complete},
	{"flush", "what Flush or a durable Write returns nil for is durable", false, flushed},
	{"nothing", "a Sink that gets no batch opens, flushes and closes", false, nothing},
	{"stop", "a job that was stopped continues without a loss", false, interrupted(func(context.CancelFunc) error { return stream.Stop })},
	{"error", "a job that a Write error ended continues without a loss", false, interrupted(func(context.CancelFunc) error { return errBroken })},
	{"cancel", "a job whose context ended continues without a loss", false, interrupted(func(cancel context.CancelFunc) error { cancel(); return nil })},
	{"retry", "an object that is read again has all of its records", false, retried},
	{"failed object", "records before a fault are durable, or none where objects are whole", false, failedObject},
	{"refused records", "a refused record costs itself alone, and counts as skipped", true, refusedRecords},
	{"refused objects", "a refused record that fails its object costs what follows it", true, refusedObjects},
	{"refused job", "a refused record is the job's error, of its class, where no policy absorbs it", true, refusedJob},
}

var errBroken = errors.New("broken by the test")

func badEvery(p Place, n int) int {
	if p.Refuses {
		return n
	}
	return 0
}

func complete(ctx context.Context, p Place) error {
	j := job{Place: p, objects: sizes(0), opts: stream.Options{Lanes: 3, CheckpointEvery: time.Hour}}
	rep, err, broken := j.run(ctx)
	if err := errors.Join(err, broken); err != nil {
		return err
	}
	if !rep.Complete() {
		return fmt.Errorf("the job is not complete: %+v", rep.Counts)
	}
	return j.durable(nil, true)
}

func flushed(ctx context.Context, p Place) error {
	j := job{Place: p, objects: sizes(0), opts: stream.Options{Lanes: 1, CheckpointEvery: time.Nanosecond}}
	_, err, broken := j.run(ctx)
	return errors.Join(err, broken, j.durable(nil, true))
}

func nothing(ctx context.Context, p Place) error {
	j := job{Place: p, opts: stream.Options{Lanes: 1}}
	rep, err, broken := j.run(ctx)
	if err := errors.Join(err, broken); err != nil || !rep.Complete() {
		return fmt.Errorf("a job without objects: %w", err)
	}
	w, err := p.Open().Open(ctx, 0)
	if err != nil {
		return fmt.Errorf("Open: %w", err)
	}
	err = w.Flush(ctx)
	if err != nil {
		err = fmt.Errorf("Flush: %w", err)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		return err
	}
	return j.durable(nil, true)
}

// interrupted breaks a job off at several of its batches by what end does, and
// continues it.
func interrupted(end func(cancel context.CancelFunc) error) func(context.Context, Place) error {
	return func(ctx context.Context, p Place) error {
		kept := &memory{}
		j := job{Place: p, objects: sizes(0), opts: stream.Options{Lanes: 1, CheckpointEvery: time.Nanosecond, Checkpoint: kept}}
		for _, at := range []int{0, 1, 4, 9, 25, 2} {
			rctx, cancel := context.WithCancel(ctx)
			j.before = func(n int) error {
				if n == at {
					return end(cancel)
				}
				return nil
			}
			_, err, broken := j.run(rctx)
			cancel()
			switch class := stream.ClassOf(err); {
			case broken != nil:
				return broken
			case err == nil, class == stream.ClassCanceled, errors.Is(err, errBroken):
			default:
				return fmt.Errorf("broken off at batch %d: %w", at, err)
			}
		}
		j.before, j.opts.Lanes = nil, 3
		rep, err, broken := j.run(ctx)
		if err := errors.Join(err, broken); err != nil {
			return err
		}
		if !rep.Complete() {
			return fmt.Errorf("the continued job is not complete: %+v", rep.Counts)
		}
		return j.durable(nil, false)
	}
}

// memory is a checkpoint in memory.
type memory struct{ saved []byte }

func (m *memory) Load(context.Context) ([]byte, error) { return slices.Clone(m.saved), nil }
func (m *memory) Save(_ context.Context, manifest []byte) error {
	m.saved = slices.Clone(manifest)
	return nil
}
func (m *memory) Close() error { return nil }

func retried(ctx context.Context, p Place) error {
	objects := sizes(0)
	f := faults{}
	for _, o := range objects {
		n := int64(len(o.data))
		f[o.key] = &fault{at: []int64{0, n / 3, n / 2, n - 1}, err: driver.ErrTransient}
	}
	j := job{Place: p, objects: objects, faults: f, opts: stream.Options{Lanes: 3, OnObjectError: stream.RetryAtMost(10)}}
	rep, err, broken := j.run(ctx)
	if err := errors.Join(err, broken); err != nil {
		return err
	}
	if !rep.Complete() || rep.Counts.Retried == 0 {
		return fmt.Errorf("the job is not complete: %+v", rep.Counts)
	}
	return j.durable(nil, false)
}

func failedObject(ctx context.Context, p Place) error {
	objects := sizes(0)
	f, least := faults{}, map[string]int{}
	for _, o := range objects {
		if len(o.data) < 64<<10 {
			continue // the fault would be in what detection wants to see
		}
		f[o.key] = &fault{at: slices.Repeat([]int64{int64(len(o.data)) / 2}, 20), err: errBroken}
		least[o.key] = whole(o.data[:len(o.data)/2])
	}
	j := job{Place: p, objects: objects, faults: f, opts: stream.Options{Lanes: 3, OnObjectError: stream.SkipClasses()}}
	rep, err, broken := j.run(ctx)
	if err := errors.Join(err, broken); err != nil {
		return err
	}
	if rep.Counts.Skipped.Objects != int64(len(least)) {
		return fmt.Errorf("%d objects were left out, not %d", rep.Counts.Skipped.Objects, len(least))
	}
	return j.durable(least, false)
}

// whole counts the lines of data that end in it.
func whole(data []byte) (n int) {
	for _, c := range data {
		if c == '\n' {
			n++
		}
	}
	return n
}

func refusedRecords(ctx context.Context, p Place) error {
	objects := sizes(badEvery(p, 7))
	asked := map[string][]int64{}
	j := job{Place: p, objects: objects, opts: stream.Options{Lanes: 3, OnRecordError: func(e *stream.Error, _ stream.Totals) (stream.Action, error) {
		asked[e.Key] = append(asked[e.Key], recordOf(e))
		return stream.Skip, nil
	}}}
	rep, err, broken := j.run(ctx)
	if err := errors.Join(err, broken); err != nil {
		return err
	}
	n := 0
	for _, o := range objects {
		n += len(o.bad)
		if !slices.Equal(asked[o.key], o.bad) {
			return fmt.Errorf("%s: the policy was asked about records %v, not %v", o.key, asked[o.key], o.bad)
		}
	}
	if rep.Counts.RecordsSkipped != int64(n) {
		return fmt.Errorf("%d records count as skipped, %d were refused", rep.Counts.RecordsSkipped, n)
	}
	return j.durable(nil, true)
}

func refusedObjects(ctx context.Context, p Place) error {
	objects := sizes(badEvery(p, 7))
	least := map[string]int{}
	for _, o := range objects {
		if len(o.bad) > 0 {
			least[o.key] = int(o.bad[0])
		}
	}
	j := job{Place: p, objects: objects, opts: stream.Options{Lanes: 3, OnObjectError: stream.SkipClasses(stream.ClassBadRecord)}}
	rep, err, broken := j.run(ctx)
	if err := errors.Join(err, broken); err != nil {
		return err
	}
	if rep.Counts.Skipped.Objects != int64(len(least)) {
		return fmt.Errorf("%d objects were left out, not %d", rep.Counts.Skipped.Objects, len(least))
	}
	return j.onlyBefore(least)
}

// onlyBefore checks that of objects which failed at a refused record, what was before
// it is durable and nothing else.
func (j *job) onlyBefore(least map[string]int) error {
	if err := j.durable(least, true); err != nil || j.Rows == nil || j.Whole {
		return err
	}
	byObject, err := j.rows()
	if err != nil {
		return err
	}
	for key, n := range least {
		if len(byObject[key]) != n {
			return fmt.Errorf("%s: %d records are durable, of %d before the refused one", key, len(byObject[key]), n)
		}
	}
	return nil
}

func refusedJob(ctx context.Context, p Place) error {
	o := newObject("only", 2000, badEvery(p, 1500), 200)
	j := job{Place: p, objects: []*object{o}, opts: stream.Options{Lanes: 1}}
	_, err, broken := j.run(ctx)
	var e *stream.Error
	switch {
	case broken != nil:
		return broken
	case !errors.As(err, &e), e.Class != stream.ClassBadRecord, recordOf(e) != o.bad[0], e.Key != o.key:
		return fmt.Errorf("the job ends with %v, not with record %d of class bad_record: Write has to return what Refuse returned", err, o.bad[0])
	}
	return j.onlyBefore(map[string]int{o.key: int(o.bad[0])})
}

// recordOf is the record that an error is of, -1 if it is of none.
func recordOf(e *stream.Error) int64 {
	if r, ok := errors.AsType[*stream.RecordError](e); ok {
		return r.Index
	}
	return -1
}
