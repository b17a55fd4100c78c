package stream

import (
	"sync"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/slab"
)

// Pool is memory and workers shared by any number of Opens, Records and
// Backfills. It is safe for concurrent use and need not be closed.
type Pool struct {
	memory  int64
	workers int
	budget  *budget
	permits *permits
	slabs   *slab.List

	mu       sync.Mutex
	retained int64
	kept     []keptDecoder
	keep     int
}

// keptDecoder is a decoder that waits for its next object, with the memory that
// it holds.
type keptDecoder struct {
	key    decoderKey
	dec    codec.Decoder
	growth *growth
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

// decoderExtra is what most decoders take beside their window.
const decoderExtra = 1 << 20

// NewPool makes a Pool of memory bytes and of workers goroutines that may decode,
// frame or parse at once. 0 means the defaults of [Options].
func NewPool(memory int64, workers int) *Pool {
	p := &Pool{memory: memoryOrDefault(memory), workers: workersOrDefault(workers)}
	p.budget = newBudget(p.memory, 0)
	p.budget.evict = append(p.budget.evict, p.evictDecoder)
	p.permits = newPermits(p.workers)
	p.keep = 2 * p.workers
	p.slabs = slab.NewList(slabSize, 2*p.workers)
	return p
}

// use prepares the pool for a reader with the given limits and tells how many of
// the wanted lanes fit beside them.
func (p *Pool) use(r *read, lanes int) (int, error) {
	reserve := r.MaxWindow + spillMax(r.MaxRecord)
	if p.memory-reserve < laneFloor {
		return 0, floorError(p.memory, leastMemory)
	}
	reserve = min(reserve+decoderExtra, p.memory-laneFloor)
	p.budget.mu.Lock()
	p.budget.reserve = max(p.budget.reserve, reserve)
	p.budget.mu.Unlock()
	return min(lanes, int((p.memory-reserve)/laneFloor)), nil
}

// leastMemory is the smallest Memory with which one lane runs: a half and two
// eighths of it are set aside for a window and for records, the rest must hold a
// lane and what a record needs beyond the eighths.
const leastMemory = 4 * (laneFloor + 2*slabData)

// retain charges a slab that a sink keeps, if a quarter of the memory is not yet
// retained.
func (p *Pool) retain(n int64) bool {
	p.mu.Lock()
	ok := p.retained+n <= p.memory/4
	if ok {
		p.retained += n
	}
	p.mu.Unlock()
	if !ok {
		return false
	}
	if !p.budget.TryAcquire(n) {
		p.mu.Lock()
		p.retained -= n
		p.mu.Unlock()
		return false
	}
	return true
}

func (p *Pool) released(n int64) {
	p.mu.Lock()
	p.retained -= n
	p.mu.Unlock()
	p.budget.Release(n)
}

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

// keepDecoder keeps a decoder whose memory stays charged, or says that there are
// enough.
func (p *Pool) keepDecoder(k keptDecoder) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.kept) >= p.keep {
		return false
	}
	p.kept = append(p.kept, k)
	return true
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
	k.dec.Close()
	p.budget.releaseKept(k.memory)
	return true
}
