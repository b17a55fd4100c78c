package stream

// renewEnds makes other ends if a sink retains a batch of these.
func (b *batcher) renewEnds() {
	if b.endsRetained {
		b.ends, b.endsRetained = make([]uint32, 0, cap(b.ends)), false
	}
}

// lastEnd is the last of ends, 0 if there is none.
func (b *batcher) lastEnd() int {
	if len(b.ends) == 0 {
		return 0
	}
	return int(b.ends[len(b.ends)-1])
}

// at is the decoded offset of a place relative to start.
func (b *batcher) at(place int) int64 { return b.offset - int64(b.end-b.start) + int64(place) }

// from is where the next record to hand out begins, relative to start.
func (b *batcher) from() int {
	if b.pos == 0 {
		return 0
	}
	return int(b.ends[b.pos-1])
}

// cut hands out records up to the first that is too long. It returns neither batch
// nor error when that one was left out.
func (b *batcher) cut() (*Batch, error) {
	until := len(b.ends)
	if from := b.from(); b.lastEnd()-from > b.config.MaxRecord {
		for i, prev := b.pos, from; i < until; i++ {
			if int(b.ends[i])-prev > b.config.MaxRecord {
				until = i
			} else {
				prev = int(b.ends[i])
			}
		}
		if until == b.pos {
			return b.tooLong()
		}
	}
	return b.emit(until, until == len(b.ends) && b.then == phaseLast), nil
}

// emit makes a batch of the ends from pos up to until.
func (b *batcher) emit(until int, last bool) *Batch {
	b.beforeBatch = b.here()
	batch := b.newBatch()
	batch.start, batch.ends, batch.last = uint32(b.from()), b.ends[b.pos:until], last
	if last {
		b.phase = phaseEnd
	}
	b.pos = until
	b.nextRecord += int64(batch.Len())
	b.delivered += int64(batch.Len())
	return batch
}

// newBatch prepares the batch, another one if the sink retains the last.
func (b *batcher) newBatch() *Batch {
	if b.batch == nil {
		b.batch = &Batch{object: b.reader.facts().object, body: b.framer.Body, lane: b.lane}
	}
	t := b.batch
	t.slab, t.raw, t.start, t.offset = b.slab, b.slab.Bytes()[b.start:b.end], 0, b.at(0)
	t.first, t.ends, t.starts, t.last = b.nextRecord, nil, !b.started, false
	b.started = true
	return t
}
