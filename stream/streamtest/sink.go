package streamtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/stream"
)

// Place is where a Sink under test writes. Each case has a Place of its own, which is
// empty at first.
type Place struct {
	// Open returns a Sink that adds to the place. A case opens one for each of its
	// jobs, which run one after another.
	Open func() stream.Sink

	// Rows returns the rows that are durable in the place: for each object those
	// that were written first come first. Rows that were written twice may be
	// there twice. Rows is called while no job runs, and within Flush and Write of
	// jobs with one lane. Nil means that the Sink keeps nothing that can be read.
	Rows func() ([]Row, error)

	// Refuses says that the Sink refuses records that are no rows, and takes all others,
	// of up to a few hundred bytes: a Sink with another rule makes it a parameter. It does so by
	// [stream.Batch.Refuse]. Otherwise the suite has none.
	Refuses bool

	// Whole says that the Sink makes whole objects durable: no row of an object is
	// durable before the object has ended.
	Whole bool

	// Unordered says that Rows does not know in which order rows were written.
	Unordered bool
}

// RunSink holds the Sinks of a Place to the contract of [stream.Sink] and
// [stream.Writer]:
//
//   - records become durable completely, in order within an object, with the data
//     that they had in Write, and the batches are not changed;
//   - a nil Flush, or a nil Write of a [stream.DurableWriter], means durable;
//   - a job that ends early and is continued loses no record;
//   - what is retried or fails is repeated or ends, and is never mixed;
//   - a refused record costs itself alone, or its object, as policies say;
//   - Writers of several lanes work side by side, end with their context, and keep
//     nothing of the job's memory after Close.
//
// open makes the Place of one case; cleanups are for t.Cleanup.
func RunSink(t *testing.T, open func(t *testing.T) Place) {
	for _, c := range sinkCases {
		t.Run(c.name, func(t *testing.T) {
			p := open(t)
			if c.refuses && !p.Refuses {
				t.Skip("the Sink refuses nothing")
			}
			if err := c.check(t.Context(), p); err != nil {
				t.Errorf("%s: %v", c.rule, err)
			}
		})
	}
}

// job is one job of a case.
type job struct {
	Place
	objects []*object
	faults  faults
	opts    stream.Options

	// before, where set, is called before each Write with the number of those
	// before it; an error is returned in place of the Writer's.
	before func(n int) error
}

// run runs the job. What its Writers did against their contract is in broken.
func (j *job) run(ctx context.Context) (rep *stream.Report, err, broken error) {
	mem := memstore.New()
	store := blob.New(&faulty{Driver: mem, faults: j.faults}, &blob.Options{Retry: &blob.Retry{MaxAttempts: 1}})
	for _, o := range j.objects {
		if _, err := blob.New(mem, nil).Put(ctx, o.key, reader(o.data), int64(len(o.data)), nil); err != nil {
			return nil, nil, err
		}
	}
	opts := j.opts
	opts.Read.Frame, opts.Read.Codec = "lines", "none"
	opts.Read.Pool = stream.NewPool(&stream.PoolOptions{Memory: 64 << 20})
	spy := &spy{job: j, sink: j.Open()}
	rep, err = stream.Backfill(ctx, store.List(nil), spy, &opts)
	if held := opts.Read.Pool.InUse(); held != 0 {
		spy.breach("%d bytes of the job's memory are held after Close: a batch was retained and not released", held)
	}
	return rep, err, errors.Join(spy.breaches...)
}

// durable holds what is durable against the job's objects. least is how many rows of
// an object have to be there; nil means all. An object with fewer is incomplete.
func (j *job) durable(least map[string]int, once bool) error {
	if j.Rows == nil {
		return nil
	}
	byObject, err := j.rows()
	if err != nil {
		return err
	}
	for _, o := range j.objects {
		n, failed := least[o.key]
		if !failed {
			n = len(o.rows)
		}
		if j.Whole && failed {
			if len(byObject[o.key]) > 0 {
				return fmt.Errorf("%s: %d records are durable of an object that failed", o.key, len(byObject[o.key]))
			}
			n = 0
		}
		if err := arrived(o, byObject[o.key], n, once); err != nil {
			return err
		}
		delete(byObject, o.key)
	}
	for key := range byObject {
		return fmt.Errorf("rows are durable of an object %q, which is not there", key)
	}
	return nil
}

// rows are the durable ones by object.
func (j *job) rows() (map[string][]Row, error) {
	all, err := j.Rows()
	if err != nil {
		return nil, fmt.Errorf("method Rows returns %w", err)
	}
	byObject := map[string][]Row{}
	for _, r := range all {
		byObject[r.Object] = append(byObject[r.Object], r)
	}
	if j.Unordered {
		for key, rows := range byObject {
			slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(a.Index, b.Index) })
			byObject[key] = rows
		}
	}
	return byObject, nil
}

// faults are offsets at which reads of an object break, one after another, and the
// error with which they do.
type faults map[string]*fault

type fault struct {
	at  []int64
	err error
}

// faulty is a store in memory whose reads break.
type faulty struct {
	driver.Driver
	mu     sync.Mutex
	faults faults
}

func (f *faulty) ReadRange(ctx context.Context, key string, offset, length int64, version string) (driver.Range, error) {
	r, err := f.Driver.ReadRange(ctx, key, offset, length, version)
	f.mu.Lock()
	defer f.mu.Unlock()
	if fault := f.faults[key]; err == nil && fault != nil && len(fault.at) > 0 {
		r.Body = &breaking{r.Body, max(0, fault.at[0]-offset), fault.err}
		fault.at = fault.at[1:]
	}
	return r, err
}

// breaking is a body that ends in an error after left bytes.
type breaking struct {
	io.ReadCloser
	left int64
	err  error
}

func (b *breaking) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, b.err
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
