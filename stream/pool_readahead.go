package stream

import (
	"sync"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/meter"
)

// openReaders are what lanes read at present: what they have fetched ahead can be had
// back. The meter of a lane stands for it. The zero value is empty.
type openReaders struct {
	mu     sync.Mutex
	byLane map[*meter.Meter]*blob.Reader
}

// set says what a lane reads, nil for nothing.
func (r *openReaders) set(lane *meter.Meter, rd *blob.Reader) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if rd == nil {
		delete(r.byLane, lane)
		return
	}
	if r.byLane == nil {
		r.byLane = map[*meter.Meter]*blob.Reader{}
	}
	r.byLane[lane] = rd
}

// dropReadAhead makes readers release what they fetched ahead: those whose lanes have
// been in a sink or have waited for something else for idle, and all where idle is 0.
func (r *openReaders) dropReadAhead(idle time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	for lane, rd := range r.byLane {
		if stage, since := lane.StageSince(); idle > 0 {
			if stage == meter.Fetch || stage == meter.Decode || stage == meter.Frame || now.Sub(since) < idle {
				continue
			}
		}
		rd.DropReadAhead()
	}
}
