package stream

// recordEnds are the ends of the records in the slab, relative to start of the slab's
// window. Those from pos on are not handed out.
type recordEnds struct {
	ends         []uint32
	endsRetained bool // a sink retains a batch of ends: they are not written again
	pos          int
}

// clearEnds forgets the ends.
func (r *recordEnds) clearEnds() { r.ends, r.pos = r.ends[:0], 0 }

// renewEnds makes other ends if a sink retains a batch of these.
func (r *recordEnds) renewEnds() {
	if r.endsRetained {
		r.ends, r.endsRetained = make([]uint32, 0, cap(r.ends)), false
	}
}

// lastEnd is the last of ends, 0 if there is none.
func (r *recordEnds) lastEnd() int {
	if len(r.ends) == 0 {
		return 0
	}
	return int(r.ends[len(r.ends)-1])
}

// from is where the next record to hand out begins.
func (r *recordEnds) from() int {
	if r.pos == 0 {
		return 0
	}
	return int(r.ends[r.pos-1])
}

// tooLarge returns how many of ends are before the first record from pos on that is
// larger than most, or all.
func (r *recordEnds) tooLarge(most int) int {
	prev := r.from()
	if r.lastEnd()-prev <= most {
		return len(r.ends)
	}
	for i := r.pos; i < len(r.ends); i++ {
		end := int(r.ends[i])
		if end-prev > most {
			return i
		}
		prev = end
	}
	return len(r.ends)
}

// delivery is what was handed out of the object.
type delivery struct {
	batch       *Batch
	started     bool             // a batch was handed out
	beforeBatch countedSavepoint // before the last one
	nextRecord  int64            // index of the record after it
	recordTally                  // of the records before that
}

// at is the decoded offset of the byte n after start.
func (b *batcher) at(n int) int64 { return b.offset - int64(b.end-b.start) + int64(n) }

// cut hands out records up to the first that is too long or not selected. It returns
// neither batch nor error when that one was left out.
func (b *batcher) cut() (*Batch, error) {
	if n := min(b.unselected(), int64(len(b.ends)-b.pos)); n > 0 {
		b.pos += int(n)
		b.nextRecord += n
		return nil, nil
	}
	if err := b.displaced(); err != nil {
		return nil, err
	}
	until := b.tooLarge(b.config.MaxRecord)
	if until == b.pos {
		return b.tooLong()
	}
	if b.selected != nil {
		return b.emit(b.pos+int(min(b.selected.run(b.nextRecord), int64(until-b.pos))), false), nil
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
