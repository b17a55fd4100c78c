package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/internal/ctxerr"
	"github.com/thaw-go/thaw/stream/internal/kept"
	"github.com/thaw-go/thaw/stream/internal/listing"
)

// Options configures [NewPlan] and [Request]. Nil means the zero value.
type Options struct {
	// Days is how long the service keeps the readable copy. 0 means the least
	// that it offers. Services that move the object itself back ignore it. A
	// negative number is fs.ErrInvalid.
	Days int

	// Tier is the speed, as the service spells it: "Bulk". Empty means the
	// service's default. One that it does not know is fs.ErrInvalid before
	// anything is requested.
	Tier string

	// OnObject is called for each object that the Plan counts, unless its look-up
	// failed, before its restore is requested: Archive is its state. There is one call
	// at a time, on several goroutines and in no order, and the plan waits for it. Nil
	// means no call.
	OnObject func(obj blob.Object)
}

const (
	// requestsAtOnce bounds the look-ups and restores under way at once.
	requestsAtOnce = 8

	// smallObject is the size below which requests are a large share of the cost.
	smallObject = 128 << 10
)

// NewPlan looks at all objects of src and requests no restore. Folder markers and indexes
// are no data and are left out, as a job does. Nil opts means the defaults; Tier decides
// the waits of the Plan. The Plan is never nil: with an error it covers what was seen
// before.
func NewPlan(ctx context.Context, src blob.Source, opts *Options) (*Plan, error) {
	return newPlan(ctx, src, opts, false)
}

// Request requests a restore of every archived object of src and does not wait for any.
// Their number has no bound. A request for an object that is being restored is no error.
// The Plan, never nil, says what was requested and what failed; the error is of the
// source or of ctx.
func Request(ctx context.Context, src blob.Source, opts *Options) (*Plan, error) {
	return newPlan(ctx, src, opts, true)
}

func newPlan(ctx context.Context, src blob.Source, opts *Options, request bool) (*Plan, error) {
	p := &planner{Plan: &Plan{Classes: []Class{}}, src: src, request: request, classes: map[string]*Class{}}
	if opts != nil {
		p.restore = blob.RestoreRequest{Days: opts.Days, Tier: opts.Tier}
		p.onObject = opts.OnObject
	}
	if p.restore.Days < 0 {
		return p.Plan, fmt.Errorf("archive: Options.Days is %d: %w", p.restore.Days, fs.ErrInvalid)
	}
	if err := src.Store.CheckRestore(p.restore); err != nil {
		return p.Plan, fmt.Errorf("archive: %w", err)
	}
	err := p.list(ctx)
	p.Failures = p.failures.All()
	for _, name := range slices.Sorted(maps.Keys(p.classes)) {
		p.Classes = append(p.Classes, *p.classes[name])
	}
	return p.Plan, err
}

// planner makes one plan.
type planner struct {
	*Plan
	src      blob.Source
	restore  blob.RestoreRequest
	request  bool
	onObject func(blob.Object)
	sample   sample

	mu       sync.Mutex // guards Plan and what follows
	classes  map[string]*Class
	failures kept.List[stream.QuarantineEntry]
}

// list goes through the source.
func (p *planner) list(ctx context.Context) error {
	slots := make(chan struct{}, requestsAtOnce)
	var requests sync.WaitGroup
	defer requests.Wait()
	for obj, err := range p.src.Objects(ctx, blob.Mark{}) {
		if err == nil && ctx.Err() != nil {
			err = ctxerr.Of(ctx) // the source may yield without looking at it
		}
		if err != nil {
			if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
				err = fmt.Errorf("%w: %w", err, cause)
			}
			return p.sourceError(err)
		}
		if listing.KindOf(p.src, obj) != listing.Data {
			continue
		}
		look := isUnknown(obj) || p.sample.due(obj)
		if !p.request && !look {
			p.count(obj)
			continue
		}
		slots <- struct{}{}
		requests.Go(func() {
			p.object(ctx, obj, look)
			<-slots
		})
	}
	requests.Wait()
	if ctx.Err() != nil {
		return p.sourceError(ctxerr.Of(ctx))
	}
	return nil
}

// sourceError is an error of the source, with the key that is out of order.
func (p *planner) sourceError(err error) error {
	e := &stream.Error{Source: p.src.Name, Class: stream.ClassOf(err), Err: err}
	at, ok := errors.AsType[*blob.Error](err)
	if !ok {
		e.Err = fmt.Errorf("list: %w", err)
	} else if errors.Is(err, blob.ErrOrder) {
		e.Key = at.Key
	}
	return e
}

// isUnknown reports whether obj's state must be looked up: key lists do not state it, and
// S3 states that of intelligent tiering for one object at a time.
func isUnknown(obj blob.Object) bool {
	return obj.Size < 0 || obj.StorageClass == "INTELLIGENT_TIERING"
}

// object looks an object up if look is set, counts it, and requests its restore.
func (p *planner) object(ctx context.Context, obj blob.Object, look bool) {
	if look {
		listed := obj
		var err error
		if obj, err = p.src.Store.Stat(ctx, listed.Key); err != nil {
			p.fail(blob.Object{Key: listed.Key}, err)
			return
		}
		p.sample.compare(listed, obj)
	}
	p.count(obj)
	if !p.request || obj.Archive != blob.ArchiveArchived {
		return
	}
	if err := p.src.Store.Restore(ctx, obj.Key, p.restore); err != nil {
		p.fail(obj, err)
		return
	}
	p.mu.Lock()
	add(&p.Requested, obj)
	p.mu.Unlock()
}

// fail counts an object that could not be looked up or requested.
func (p *planner) fail(obj blob.Object, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	add(&p.Failed, obj)
	e := stream.QuarantineEntry{Key: obj.Key, Version: obj.Version, Class: stream.ClassOf(err)}
	if at, ok := err.(*blob.Error); ok { // source and key stand beside it
		err = at.Err
	}
	e.Error = kept.Text(err.Error())
	p.failures.Add(e, func(other stream.QuarantineEntry) bool {
		return other.Key == e.Key && other.Version == e.Version
	})
}

// count counts an object by its state and class.
func (p *planner) count(obj blob.Object) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.onObject != nil {
		p.onObject(obj)
	}
	switch obj.Archive {
	case blob.ArchiveRestored:
		add(&p.Restored, obj)
		return
	case blob.ArchiveRestoring:
		add(&p.Restoring, obj)
	case blob.ArchiveArchived:
		add(&p.Archived, obj)
		if obj.Size < smallObject {
			add(&p.Small, obj)
		}
	default:
		add(&p.Online, obj)
		return
	}
	c := p.classes[obj.StorageClass]
	if c == nil {
		c = &Class{Class: obj.StorageClass, Wait: documentedWait(obj.StorageClass, p.restore.Tier)}
		p.classes[obj.StorageClass] = c
	}
	add(&c.Tally, obj)
}

// add counts an object.
func add(t *stream.Tally, obj blob.Object) {
	t.Objects++
	t.Size += max(obj.Size, 0)
}
