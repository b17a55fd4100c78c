package ahead

// What a Decoder holds is counted in bytes: used, of buffers for stored bytes, of the slabs that
// parts may hold and of the decoders of helpers, and reserved, what the Host has granted.

const (
	// reserveStep is how much is asked of the Host at once.
	reserveStep = 1 << 20

	// mostReserved is how much is asked for each worker.
	mostReserved = 48 << 20
)

// reserve reports whether n bytes more may be used, and asks the Host for them if needed.
func (d *Decoder) reserve(n int64) bool {
	more := d.used + n - d.reserved
	if more <= 0 {
		return true
	}
	if d.used+n > int64(d.c.Workers)*mostReserved {
		return false
	}
	more = (more + reserveStep - 1) / reserveStep * reserveStep
	if !d.c.Host.TryMemory(more) {
		return false
	}
	d.reserved += more
	return true
}

// settle returns memory that is not used.
func (d *Decoder) settle() {
	for _, b := range d.buffers {
		d.used -= int64(cap(b))
	}
	d.buffers = nil
	if spare := (d.reserved - d.used) / reserveStep * reserveStep; spare > 0 {
		d.reserved -= spare
		d.c.Host.ReleaseMemory(spare)
	}
}

// leastSlabs is how many slabs a part must be able to hold to be decoded by a helper, and
// mostSlabs how many it is granted.
const (
	leastSlabs = 4
	mostSlabs  = 512
)

// complete ends a part and grants it slabs for what it decodes to, or for some of it.
func (d *Decoder) complete(q *part) {
	slabSize := int64(d.c.Slabs.Size())
	slabs := int64(mostSlabs)
	if q.decoded >= 0 {
		slabs = min(slabs, q.decoded/(slabSize-int64(d.c.Head))+2)
	} else {
		slabs = min(slabs, max(8, 8*int64(len(q.stored))/slabSize))
	}
	for least := min(slabs, leastSlabs); slabs >= least; slabs /= 2 {
		if d.reserve(slabs * slabSize) {
			q.most, q.grant = int(slabs), slabs*slabSize
			d.used += q.grant
			d.slabs += slabs
			break
		}
	}
	if q.most > 0 {
		d.keep(int(d.slabs))
		d.mu.Lock()
		d.waiting = append(d.waiting, q)
		d.mu.Unlock()
	}
}

// keep has the list of slabs keep n of them for d.
func (d *Decoder) keep(n int) {
	if n > d.kept {
		d.c.Slabs.Keep(n - d.kept)
		d.kept = n
	}
}

// free returns what a part holds that is not read any more.
func (d *Decoder) free(q *part) {
	d.used -= q.grant
	d.slabs -= q.grant / int64(d.c.Slabs.Size())
	for _, c := range q.chunks {
		c.slab.Release()
	}
	q.chunks, q.grant = nil, 0
	if cap(q.stored) <= mostBuffer && len(d.buffers) <= d.mostParts() {
		d.buffers = append(d.buffers, q.stored[:0])
	} else {
		d.used -= int64(cap(q.stored))
	}
	q.stored = nil
	if len(d.feed.queue) == 0 && d.head == nil {
		d.settle()
	}
}

// mostBuffer is how large a buffer for stored bytes may be to be kept for another part.
const mostBuffer = 1 << 20

// store appends stored bytes to a part.
func (d *Decoder) store(q *part, b []byte) {
	if n := len(d.buffers); q.stored == nil && n > 0 {
		q.stored = d.buffers[n-1]
		d.buffers = d.buffers[:n-1]
	}
	before := cap(q.stored)
	q.stored = append(q.stored, b...)
	d.used += int64(cap(q.stored) - before)
}
