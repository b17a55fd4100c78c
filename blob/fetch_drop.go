package blob

// DropReadAhead releases to the Budget what was fetched ahead and not read yet, except
// for the buffer that Read is in. Later reads request those bytes again. Call it for a
// Reader that is not read for a while, whose memory others wait for. It does not wait,
// and any goroutine may call it at any time.
func (r *Reader) DropReadAhead() {
	if r.ahead != nil {
		r.ahead.dropAhead()
	}
}

// dropAhead cuts the first part after its first chunk and drops the others. Memory that
// a part's goroutine may still write to is released when that ends.
func (f *fetch) dropAhead() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.parts) == 0 || f.ctx.Err() != nil {
		return
	}
	first, others := f.parts[0], f.parts[1:]
	for _, p := range others {
		f.next -= p.want
		f.cut(p, 0)
	}
	clear(others)
	f.parts = f.parts[:1]
	kept := first.freed
	if len(first.chunks) > 0 {
		kept += int64(first.chunks[0].w)
	}
	if kept > 0 && kept < first.want && !first.cut {
		f.next -= first.want - kept
		f.cut(first, 1)
		first.kept, first.err = kept, nil // a fault will strike again
	}
	f.failed = first.err != nil
	f.window = 1
	f.mem.release(len(f.mem.spare))
	f.mem.spare = nil
	for _, c := range first.chunks {
		f.mem.adopt(c)
	}
}

// cut ends a part after its first keep chunks. The caller holds the mutex.
func (f *fetch) cut(p *part, keep int) {
	p.cut = true
	p.rng.cancel()
	for i := len(p.chunks) - 1; i >= keep; i-- {
		if c := p.chunks[i]; i == len(p.chunks)-1 && !p.done {
			p.last = c
		} else {
			f.discard(c)
		}
	}
	p.chunks = p.chunks[:min(keep, len(p.chunks))]
}

// discard releases a chunk; nil is none. The caller holds the mutex.
func (f *fetch) discard(c *chunk) {
	switch {
	case c == nil:
	case c.own:
		f.mem.owned--
	default:
		f.mem.release(1)
	}
}

// adopt makes a chunk a reserved one, if there may be more of them.
func (m *chunks) adopt(c *chunk) {
	if !c.own && m.owned < ownChunks {
		c.own = true
		m.owned++
		m.release(1)
	}
}
