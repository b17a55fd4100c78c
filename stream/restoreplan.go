package stream

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/amount"
	"github.com/thaw-go/thaw/stream/internal/ctxerr"
)

// RestorePlan says what of a source can be read, what must be restored first, and
// how long that takes.
type RestorePlan struct {
	Online    Tally `json:"online"`    // reads at once
	Restored  Tally `json:"restored"`  // a copy is readable for a time
	Restoring Tally `json:"restoring"` // asked for already
	Archived  Tally `json:"archived"`  // must be asked for

	// Small are those of Archived under 128 KiB. Services charge each object's
	// request and often a least size.
	Small Tally `json:"small"`

	// Classes are Archived and Restoring by storage class, by name.
	Classes []StorageClassPlan `json:"classes"`

	// Requested are those asked for by [RequestRestore]; Failed those it could
	// not ask for, with the first reasons in Failures: at most 1,000, and at most
	// 1 MiB in JSON.
	Requested Tally             `json:"requested"`
	Failed    Tally             `json:"failed"`
	Failures  []QuarantineEntry `json:"failures,omitempty"`
}

// StorageClassPlan is what a plan has in one storage class.
type StorageClassPlan struct {
	Class string        `json:"class"`
	Tally Tally         `json:"tally"`
	Wait  time.Duration `json:"wait"` // as the service documents for the tier, at most; 0: not known
}

// Objects is how many objects the plan is about.
func (p *RestorePlan) Objects() int64 {
	return p.Online.Objects + p.Restored.Objects + p.Restoring.Objects + p.Archived.Objects + p.Failed.Objects
}

// Readable says that nothing has to be restored or waited for.
func (p *RestorePlan) Readable() bool { return p.Archived.Objects+p.Restoring.Objects == 0 }

// smallObject is the size below which the share of requests in the cost is large.
const smallObject = 128 << 10

// PlanRestore looks at all objects of src and asks for nothing. Objects whose
// listing does not tell their state are looked up one by one. The plan is never
// nil; with an error it covers what was seen before.
func PlanRestore(ctx context.Context, src blob.Source, opts *RestoreOptions) (*RestorePlan, error) {
	return planRestore(ctx, src, opts, false)
}

// RequestRestore asks for every object of src that is archived, and does not wait
// for any: the service holds that state, so their number has no bound. Asking
// again for what is on its way is no error. An object that cannot be asked for is
// counted in the plan, and the others go on; the error is of the source or of ctx.
func RequestRestore(ctx context.Context, src blob.Source, opts *RestoreOptions) (*RestorePlan, error) {
	return planRestore(ctx, src, opts, true)
}

func planRestore(ctx context.Context, src blob.Source, opts *RestoreOptions, ask bool) (*RestorePlan, error) {
	var o RestoreOptions
	if opts != nil {
		o = *opts
	}
	if err := o.checkFor(src.Store); err != nil {
		return &RestorePlan{Classes: []StorageClassPlan{}}, fmt.Errorf("stream: %w", err)
	}
	p := &planner{RestorePlan: &RestorePlan{}, src: src, opts: o.resolve(), ask: ask, classes: map[string]*StorageClassPlan{}}
	slots := make(chan struct{}, looksAtOnce)
	var asking sync.WaitGroup
	var err error
	for obj, oerr := range src.Objects(ctx, blob.Mark{}) {
		if oerr == nil && ctx.Err() != nil {
			oerr = ctxerr.Of(ctx) // the source may yield without looking at it
		}
		if oerr != nil {
			if err = listError(src.Name, oerr); ctx.Err() != nil {
				err = withCause(ctx, err)
			}
			break
		}
		if _, left := notData(src, obj); left {
			continue
		}
		look := p.looks(obj)
		if !ask && !look {
			p.count(obj)
			continue
		}
		slots <- struct{}{}
		asking.Go(func() {
			p.object(ctx, obj, look)
			<-slots
		})
	}
	asking.Wait()
	if err == nil && ctx.Err() != nil {
		err = listError(src.Name, ctxerr.Of(ctx))
	}
	p.Failures = p.failures.list
	p.Classes = []StorageClassPlan{}
	for _, name := range slices.Sorted(maps.Keys(p.classes)) {
		p.Classes = append(p.Classes, *p.classes[name])
	}
	return p.RestorePlan, err
}

// planner makes one plan.
type planner struct {
	*RestorePlan
	src  blob.Source
	opts RestoreOptions
	ask  bool

	looking looking

	mu       sync.Mutex
	classes  map[string]*StorageClassPlan
	failures failures
}

// unknown says that obj's state must be looked up: key lists know nothing, and S3
// tells that of intelligent tiering for one object at a time.
func unknown(obj blob.Object) bool {
	return obj.Size < 0 || obj.StorageClass == "INTELLIGENT_TIERING"
}

// looks says that obj's state must be looked up. It belongs to the lister.
func (p *planner) looks(obj blob.Object) bool { return unknown(obj) || p.looking.at(obj) }

// object looks one object up where that is needed, counts it, and asks for it.
func (p *planner) object(ctx context.Context, obj blob.Object, look bool) {
	if look {
		listed := obj
		var err error
		if obj, err = p.src.Store.Stat(ctx, listed.Key); err != nil {
			p.fail(blob.Object{Key: listed.Key}, err)
			return
		}
		p.looking.saw(listed, obj)
	}
	p.count(obj)
	if !p.ask || obj.Archive != blob.ArchiveArchived {
		return
	}
	if err := p.src.Store.Restore(ctx, obj.Key, p.opts.request()); err != nil {
		p.fail(obj, err)
		return
	}
	p.mu.Lock()
	p.Requested.add(Tally{Objects: 1, Bytes: max(obj.Size, 0)})
	p.mu.Unlock()
}

func (p *planner) fail(obj blob.Object, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Failed.add(Tally{Objects: 1, Bytes: max(obj.Size, 0)})
	class := classOf(err)
	if e, ok := err.(*blob.Error); ok { // source and key stand beside it
		err = e.Err
	}
	p.failures.add(entryOf(&Error{
		Source: p.src.Name, Key: obj.Key, Version: obj.Version, Class: class, Err: err,
	}))
}

func (p *planner) count(obj blob.Object) {
	one := Tally{Objects: 1, Bytes: max(obj.Size, 0)}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch obj.Archive {
	case blob.ArchiveRestored:
		p.Restored.add(one)
		return
	case blob.ArchiveRestoring:
		p.Restoring.add(one)
	case blob.ArchiveArchived:
		p.Archived.add(one)
		if obj.Size < smallObject {
			p.Small.add(one)
		}
	default:
		p.Online.add(one)
		return
	}
	c := p.classes[obj.StorageClass]
	if c == nil {
		c = &StorageClassPlan{Class: obj.StorageClass, Wait: documentedWait(obj.StorageClass, p.opts.Tier)}
		p.classes[obj.StorageClass] = c
	}
	c.Tally.add(one)
}

// documentedWait is how long services say that a restore takes at most: S3's
// "Archive retrieval options" and Azure's "Blob rehydration from the archive
// tier".
func documentedWait(class, tier string) time.Duration {
	tier = strings.ToLower(tier)
	switch strings.ToUpper(class) {
	case "GLACIER":
		switch tier {
		case "expedited":
			return 5 * time.Minute
		case "bulk":
			return 12 * time.Hour
		}
		return 5 * time.Hour
	case "DEEP_ARCHIVE":
		if tier == "bulk" {
			return 48 * time.Hour
		}
		return 12 * time.Hour
	case "INTELLIGENT_TIERING":
		return 12 * time.Hour
	case "ARCHIVE":
		if tier == "high" {
			return time.Hour
		}
		return 15 * time.Hour
	}
	return 0
}

// String is the plan as a table.
func (p *RestorePlan) String() string {
	var b strings.Builder
	for _, row := range []struct {
		name string
		t    Tally
	}{{"online", p.Online}, {"restored", p.Restored}, {"restoring", p.Restoring}, {"archived", p.Archived}} {
		fmt.Fprintf(&b, "%-10s %10d %-7s %10s\n", row.name, row.t.Objects, nounFor(row.t.Objects), amount.Data(row.t.Bytes))
	}
	for _, c := range p.Classes {
		wait := "the wait is not known"
		if c.Wait > 0 {
			wait = "up to " + hoursText(c.Wait) + " each, all at once"
		}
		fmt.Fprintf(&b, "  %-8s %10d %-7s %10s  %s\n", c.Class, c.Tally.Objects, nounFor(c.Tally.Objects), amount.Data(c.Tally.Bytes), wait)
	}
	if p.Small.Objects > 0 {
		fmt.Fprintf(&b, "%d of the archived objects (%d %%) below 128 KiB: each costs a request and a least size\n",
			p.Small.Objects, p.Small.Objects*100/p.Archived.Objects)
	}
	if p.Requested.Objects > 0 {
		fmt.Fprintf(&b, "%-10s %10d %-7s %10s\n", "asked for", p.Requested.Objects, nounFor(p.Requested.Objects), amount.Data(p.Requested.Bytes))
	}
	if p.Failed.Objects > 0 {
		fmt.Fprintf(&b, "%-10s %10d %s", "failed", p.Failed.Objects, nounFor(p.Failed.Objects))
		if len(p.Failures) > 0 {
			fmt.Fprintf(&b, "; the first: %q: %s", p.Failures[0].Key, p.Failures[0].Error)
		}
		b.WriteByte('\n')
	}
	if p.Readable() && p.Failed.Objects == 0 {
		fmt.Fprintf(&b, "objects that can be read now: all %d\n", p.Objects())
	}
	return b.String()
}

// nounFor is the noun after a number of objects.
func nounFor(objects int64) string {
	if objects == 1 {
		return "object"
	}
	return "objects"
}

// hoursText is a wait as services state it.
func hoursText(d time.Duration) string {
	if d < time.Hour {
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d h", d/time.Hour)
}
