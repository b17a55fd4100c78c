package blob

// DropReadAhead returns to the Budget what was fetched ahead and not read yet, but
// for the buffer that the consumer is reading. What is read on is requested again.
// So a Reader that nobody reads for a while does not keep memory that others wait
// for. It does not wait, and may be called from any goroutine, beside every other
// method.
func (r *Reader) DropReadAhead() {
	if r.ahead != nil {
		r.ahead.dropAhead()
	}
}

// dropAhead cuts the first part after its first chunk and forgets the others. Memory
// that a part's goroutine may still write to comes free when that ends.
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
		first.kept, first.err = kept, nil // a fault comes again
	}
	f.failed = first.err != nil
	f.window = 1
	f.mem.release(len(f.mem.spare))
	f.mem.spare = nil
	for _, c := range first.chunks {
		f.mem.adopt(c)
	}
}

// cut ends a part that has all that it is going to have: its first chunks, as many
// as keep. The mutex is held.
func (f *fetch) cut(p *part, keep int) {
	p.cut = true
	p.span.cancel()
	for i := len(p.chunks) - 1; i >= keep; i-- {
		if c := p.chunks[i]; i == len(p.chunks)-1 && !p.done {
			p.last = c
		} else {
			f.drop(c)
		}
	}
	p.chunks = p.chunks[:min(keep, len(p.chunks))]
}

// drop gives a chunk up, nil for none. The mutex is held.
func (f *fetch) drop(c *chunk) {
	switch {
	case c == nil:
	case c.own:
		f.mem.owned--
	default:
		f.mem.release(1)
	}
}

// adopt makes a chunk one of the own, as far as there may be more of them.
func (m *chunks) adopt(c *chunk) {
	if !c.own && m.owned < ownChunks {
		c.own = true
		m.owned++
		m.release(1)
	}
}
