package ahead

import (
	"time"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/meter"
	"github.com/thaw-go/thaw/internal/slab"
)

// part is a run of units that are decoded together: their stored bytes, and what they decode
// to.
type part struct {
	// Of the reader, and then of the helper that has taken the part.
	begin   start
	stored  []byte
	decoded int64       // of its units, as far as headers say; -1: they do not
	grant   int64       // bytes of memory that count for its slabs
	most    int         // slabs that it may hold; 0: it is no part for helpers
	inline  bool        // the inline decoder reads it
	meter   meter.Meter // of the helper's work for it: queue or decode

	// Guarded by Decoder.mu.
	chunks []chunk // decoded, and not read
	held   int     // slabs in chunks and in the reader's hands
	result result

	ready chan struct{} // of size 1: there is a chunk, or a result
	room  chan struct{} // likewise: a slab was read
}

func newPart(s start) *part {
	q := &part{begin: s, ready: make(chan struct{}, 1), room: make(chan struct{}, 1)}
	q.meter.Start(time.Now(), meter.Queue)
	return q
}

// end is the offset at which the part ends, as far as it is known.
func (q *part) end() int64 { return q.begin.offset + int64(len(q.stored)) }

// chunk is a piece of decoded data.
type chunk struct {
	slab       *slab.Slab
	data       []byte // of slab, what is not read
	whole      bool   // nothing of it was read
	storedUpTo int64  // stored offset up to which bytes were consumed for the data
}

// result is how the decoding of a part ended.
type result struct {
	done   bool
	proven bool        // the decoder ended cleanly where the part ends
	point  codec.Point // the last restart point; Decoded counts from the part's begin
	passed bool        // there is one
}

// notify wakes whoever waits on c.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
