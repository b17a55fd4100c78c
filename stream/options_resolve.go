package stream

import (
	"math"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/internal/indexed"
)

const (
	defaultMemory     = 1 << 30
	defaultMaxRecord  = 16 << 20
	defaultRange      = 8 << 20
	leastRange        = 256 << 10
	defaultCheckpoint = 10 * time.Second
)

// memoryOrDefault is n, or the default under the runtime's memory limit.
func memoryOrDefault(n int64) int64 {
	if n > 0 {
		return n
	}
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		return min(defaultMemory, limit/4)
	}
	return defaultMemory
}

func workersOrDefault(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// lanesOrDefault is what design and machine suggest for a store.
func lanesOrDefault(n int, local bool) int {
	switch {
	case n > 0:
		return n
	case local:
		return runtime.GOMAXPROCS(0)
	}
	return max(16, 4*runtime.GOMAXPROCS(0))
}

// readConfig is ReadOptions with defaults filled in, names looked up and limits
// lowered to what the Pool allows.
type readConfig struct {
	ReadOptions
	framer *frame.Framer // nil: chosen for each object
	bytes  bool          // are wanted, not records
	least  int64         // MinMemory of what was asked for
}

func (o *ReadOptions) resolve(pool *Pool) (readConfig, error) {
	var r readConfig
	if o != nil {
		r.ReadOptions = *o
	}
	if err := r.check(); err != nil {
		return r, err
	}
	if r.Codecs == nil {
		r.Codecs = codec.Default()
	}
	if r.Framers == nil {
		r.Framers = frame.Default()
	}
	if r.Codec != "" {
		if _, err := r.Codecs.Detect(nil, true, codec.Hints{Codec: r.Codec}); err != nil {
			return r, err
		}
	}
	if _, ok := indexed.Find(r.indexed, r.Frame, nil); r.Frame != "" && !ok {
		f, err := r.Framers.Lookup(r.Frame)
		if err != nil {
			return r, err
		}
		r.framer = &f
	}
	r.least = minMemory(&r.ReadOptions)
	r.Decode.MaxWindow, r.MaxRecord = maxWindow(&r.ReadOptions, pool.memory), maxRecord(&r.ReadOptions, pool.memory)
	if r.RangeSize == 0 {
		r.RangeSize = max(leastRange, min(defaultRange, pool.memory/64))
	}
	return r, nil
}
