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
// for it. An object's decoder takes what its header asks for in addition, and a record
// over 64 KiB takes a buffer.
//
// A part of the memory is set aside, so that one object at a time can always get the
// most that its options allow: half of the memory, or Decode.MaxWindow + 2 × MaxRecord
// and some more where that is larger. The rest is for the first MiB of each reader.
// [Pool.MaxReaders] reports how many fit; a Backfill runs fewer lanes where not all
// do.
//
// For example, with 64 MiB and MaxRecord 1 MiB a window may take up to 32 MiB. 36 MiB
// are set aside, and 28 readers fit. All 28 may read gzip, whose decoder fits into the
// first MiB. Decoders of zstd for windows of 8 MiB take 9 MiB each: with 28 readers
// open, four at most have room for them, and the others wait.
//
// A reader that does not fit waits until others are done, or until ctx ends. With
// [ReadOptions.NoWait] it fails with [ErrPoolBusy] instead. While a reader waits,
// those that are not read release what they have fetched ahead, and fetch it again
// later. A few small readers may overtake a large one that waits; then they wait until
// it has its memory.
//
// An object that needs more memory in its middle, for a record or a later header, may
// have to release what it holds and wait. It is then decoded again from the last
// restart point, and the report counts those bytes under Redecoded.
//
// A program that keeps Readers open while it opens more, on one goroutine, can wait
// for itself: it needs a Pool in which all of them fit, or NoWait. A sink may read
// with the Pool of its own job, with the context that it is called with or on the
// goroutine that calls it. It gets what fits, waits while other lanes go on, and
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
	// [Options], with the same default for 0.
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
