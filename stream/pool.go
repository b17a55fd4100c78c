package stream

import (
	"errors"
	"sync"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/meter"
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

	mu      sync.Mutex
	kept    []keptDecoder
	keep    int
	readers map[*lane]*blob.Reader // whose read-ahead can be had back
}

// keptDecoder is a decoder that waits for its next object, with the memory that
// it holds.
type keptDecoder struct {
	key    decoderKey
	dec    codec.Decoder
	hook   *memoryHook
	memory int64
}

// decoderKey tells which objects a kept decoder can serve: those of the same
// codec, class of memory and options.
type decoderKey struct {
	codecs *codec.Registry
	name   string
	class  int64
	opts   optionsKey
}

// optionsKey is codec.Options in comparable form.
type optionsKey struct {
	maxWindow, maxDecoded, maxRatio int64
	trailing, skipChecksums         bool
	dictionaries                    *[]byte
}

func keyOf(o *codec.Options) optionsKey {
	k := optionsKey{o.MaxWindow, o.MaxDecoded, o.MaxRatio, o.IgnoreTrailing, o.SkipChecksums, nil}
	if len(o.Dictionaries) > 0 {
		k.dictionaries = &o.Dictionaries[0]
	}
	return k
}

const (
	// slabData is how many decoded bytes a slab takes: few enough that decode,
	// frame and parse meet them in cache.
	slabData = 128 << 10

	// slabHead is the room in front of them for the record that the slab
	// before left unfinished.
	slabHead = 64 << 10

	// slabSize is the whole.
	slabSize = slabHead + slabData

	// mostKeptEnds is how many ends a lane's slice may have room for to be kept
	// for the next object.
	mostKeptEnds = 16 << 10

	// inputSize is the buffer between a store's reader and a decoder.
	inputSize = 128 << 10

	// readAheadFloor is what a remote reader may always hold.
	readAheadFloor = 256 << 10

	// decoderFloor is the memory of the decoders that are not worth a claim.
	decoderFloor = 256 << 10

	// laneFloor is what each lane has for itself.
	laneFloor = 2*slabSize + inputSize + readAheadFloor + decoderFloor
)

// spillMax is the most that a record of up to maxRecord bytes may need beside a
// slab: its buffer, and the one it outgrew or that a sink retains.
func spillMax(maxRecord int) int64 { return 2 * (int64(maxRecord) + slabData) }

// decoderExtra is what most decoders take beside a window: 1 MiB, and a 64th of the
// window that zstd holds while its buffer grows.
func decoderExtra(window int64) int64 { return 1<<20 + window/64 }

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
		Total: p.memory, Floor: laneFloor, Evict: p.evictDecoder, Reclaim: p.dropReadAhead,
	})
	p.readers = map[*lane]*blob.Reader{}
	p.permits = permit.New(p.workers)
	p.keep = 2 * p.workers
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

// takeDecoder finds a decoder kept under the key. None is kept of class -1.
func (p *Pool) takeDecoder(key decoderKey) (keptDecoder, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := len(p.kept) - 1; i >= 0; i-- {
		if k := p.kept[i]; k.key == key {
			p.kept = append(p.kept[:i], p.kept[i+1:]...)
			return k, true
		}
	}
	return keptDecoder{}, false
}

// keepDecoder keeps a decoder whose memory stays charged. The one that was kept
// longest goes where there are enough: the next objects are of the kind of the last.
func (p *Pool) keepDecoder(k keptDecoder) {
	for {
		p.mu.Lock()
		if len(p.kept) < p.keep {
			p.kept = append(p.kept, k)
			p.mu.Unlock()
			return
		}
		p.mu.Unlock()
		p.evictDecoder()
	}
}

// evictDecoder closes the decoder that was kept longest.
func (p *Pool) evictDecoder() bool {
	p.mu.Lock()
	if len(p.kept) == 0 {
		p.mu.Unlock()
		return false
	}
	k := p.kept[0]
	p.kept = append(p.kept[:0], p.kept[1:]...)
	p.mu.Unlock()
	defer p.budget.ReleaseKept(k.memory)
	k.dec.Close()
	return true
}

// reads notes what a lane reads, nil for nothing any more.
func (p *Pool) reads(l *lane, rd *blob.Reader) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if rd == nil {
		delete(p.readers, l)
	} else {
		p.readers[l] = rd
	}
}

// dropReadAhead has those readers drop what they fetched ahead whose lanes were
// away from it as long: in a sink, or waiting for something else.
func (p *Pool) dropReadAhead(idle time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	for l, rd := range p.readers {
		switch stage, since := l.meter.StageSince(); {
		case idle == 0:
		case stage == meter.Fetch || stage == meter.Decode || stage == meter.Frame, now.Sub(since) < idle:
			continue
		}
		rd.DropReadAhead()
	}
}
