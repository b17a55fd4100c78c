package stream

import (
	"errors"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/slab"
	"github.com/thaw-go/thaw/stream/internal/memory"
	"github.com/thaw-go/thaw/stream/internal/permit"
)

// Pool is memory and workers shared by any number of Opens, Records and
// Backfills. It is safe for concurrent use and need not be closed.
//
// Each Reader, each Records and each lane of a Backfill takes 1 MiB when it starts
// and returns it when it ends: a Reader with Close, a lane when no object is left
// for it. Beside that, an object's decoder takes what its header asks for, and a
// record over 64 KiB takes a buffer. A part of the memory is set aside so that one
// object at a time can always get the most that its options allow: at least half
// of the memory, and Decode.MaxWindow + 2 × MaxRecord. The rest is for the first MiB of
// each reader; [Pool.MaxReaders] reports how many fit. A Backfill runs fewer lanes
// where not all fit.
//
// Who does not fit waits until others are done, or until ctx ends; with
// [ReadOptions.NoWait] it fails with [ErrPoolBusy] instead. While somebody waits,
// readers that are not read return what they have fetched ahead, and fetch it again
// later. An object that needs much memory is passed by a few smaller ones, then
// these wait for it.
//
// A program that keeps Readers open while it opens more, on one goroutine, can wait
// for itself: it needs a Pool in which all of them fit, or NoWait. A sink may read
// with the Pool of its own job, with the context that it is called with or on the
// goroutine that calls it: it gets what fits, waits while other lanes go on, and
// fails with [ErrPoolBusy] where the job could only wait for itself.
type Pool struct {
	memory  int64
	workers int
	budget  *memory.Budget
	permits *permit.Set
	slabs   *slab.List

	decoders decoderCache
	readers  openReaders
}

// PoolOptions configures [NewPool]. Nil means the zero value.
type PoolOptions struct {
	// Memory bounds what all readers hold together, in bytes, as that of
	// [Options]. 0 means the same default.
	Memory int64

	// Workers is how many goroutines may decode, frame or parse at once. 0 means
	// GOMAXPROCS.
	Workers int
}

// NewPool returns a Pool. It takes no memory before something is read.
func NewPool(opts *PoolOptions) *Pool {
	var o PoolOptions
	if opts != nil {
		o = *opts
	}
	p := &Pool{memory: memoryOrDefault(o.Memory), workers: workersOrDefault(o.Workers)}
	p.budget = memory.New(memory.Options{
		Total: p.memory, Floor: laneFloor, Evict: p.decoders.evict, Reclaim: p.readers.dropReadAhead,
	})
	p.decoders.budget, p.decoders.most = p.budget, 2*p.workers
	p.permits = permit.New(p.workers)
	p.slabs = slab.NewList(slabSize, 2*p.workers)
	return p
}

// terms are what a reader with the given options needs. What one reader can come to
// hold does not depend on the others, nor on how many they are.
func (p *Pool) terms(r *readConfig) (memory.Terms, error) {
	reserve := r.Decode.MaxWindow + spillMax(r.MaxRecord)
	if p.memory-reserve < laneFloor {
		return memory.Terms{}, &codec.LimitError{What: "memory", Needed: r.least, Allowed: p.memory}
	}
	reserve = min(reserve+decoderExtra(r.Decode.MaxWindow), p.memory-laneFloor)
	return memory.Terms{Reserve: reserve, Limit: max(reserve, p.memory/2-laneFloor), NoWait: r.NoWait}, nil
}

// limitError makes an error of package memory one of package codec.
func limitError(err error) error {
	if e, ok := errors.AsType[*memory.LimitError](err); ok {
		return &codec.LimitError{What: "memory", Needed: e.Needed, Allowed: e.Allowed}
	}
	return err
}

// MaxReaders returns how many Readers, Records and lanes with the given options fit
// into the Pool at once. nil opts mean the zero value. 0 means that the memory is
// too small for one.
func (p *Pool) MaxReaders(opts *ReadOptions) int {
	r, err := opts.resolve(p)
	if err != nil {
		return 0
	}
	terms, err := p.terms(&r)
	if err != nil {
		return 0
	}
	return p.budget.Fit(terms)
}

// InUse returns how many bytes of the Pool's memory its readers and jobs hold.
// Decoders kept for reuse do not count: they make room when memory is asked for.
// It is 0 when no reader is open, no job runs and no batch is retained. InUse may
// be called from any goroutine.
func (p *Pool) InUse() int64 { return p.budget.InUse() }
