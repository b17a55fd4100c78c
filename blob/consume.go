package blob

import "io"

// read gives what has arrived, or waits for it.
func (f *fetch) read(p []byte) (n int, err error) {
	for n < len(p) {
		b, err := f.peek(n == 0)
		if len(b) == 0 {
			return n, err
		}
		k := copy(p[n:], b)
		f.consume(k)
		n += k
	}
	return n, nil
}

// peek gives bytes of the first chunk that are there. Without any it gives the
// outcome or, if it may wait, waits; else it gives nothing.
func (f *fetch) peek(wait bool) ([]byte, error) {
	for {
		if f.head != nil && f.head.r < f.limit {
			return f.head.buf[f.head.r:f.limit], nil
		}
		if err := f.look(wait); err != nil {
			return nil, err
		}
		switch {
		case f.head != nil && f.head.r < f.limit:
			continue
		case !wait:
			return nil, nil
		}
		select {
		case <-f.ready:
		case <-f.ctx.Done():
			return nil, f.ctx.Err()
		}
	}
}

// consume takes n bytes of what peek gave.
func (f *fetch) consume(n int) {
	f.head.r += n
	f.taken += int64(n)
	f.left += int64(n)
	if f.head.r == len(f.head.buf) {
		f.mu.Lock()
		f.free()
		f.mu.Unlock()
	}
}

// look finds what the consumer may take without the mutex, else the outcome. With
// neither, the consumer stalls.
func (f *fetch) look(stall bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.parts) > 0 {
		p := f.parts[0]
		if len(p.chunks) > 0 {
			f.head = p.chunks[0]
			if f.limit = f.head.w; f.head.r < f.limit {
				return nil
			}
		}
		if !p.done && !f.complete(p) {
			if stall {
				f.grow()
			}
			return nil
		}
		if len(p.chunks) > 0 {
			f.head = p.chunks[0]
			f.free()
		}
		if p.err != nil {
			return p.err
		}
		f.pop()
	}
	if f.late != nil {
		return f.late
	}
	return io.EOF
}

// complete reports whether a part has all its bytes and is not the last: what comes
// after them is of no interest. One that was cut may still be written to. The mutex
// is held.
func (f *fetch) complete(p *part) bool {
	return !p.cut && p.got == p.want && (len(f.parts) > 1 || f.next < f.end)
}

// pop leaves the first part behind. The mutex is held.
func (f *fetch) pop() {
	f.parts[0] = nil
	f.parts = f.parts[1:]
	f.left = 0
	f.extend()
	if len(f.parts) > 0 {
		f.rouse(f.parts[0])
	}
}

// free gives the emptied head back, and wakes who waits for it: the first part,
// else the one that is nearest. The mutex is held.
func (f *fetch) free() {
	c := f.head
	f.head, f.limit = nil, 0
	f.parts[0].chunks = f.parts[0].chunks[1:]
	f.parts[0].freed += int64(c.w)
	f.mem.put(c, f.expects())
	for _, p := range f.parts {
		if p.waits {
			f.rouse(p)
			return
		}
		if c.own {
			return
		}
	}
}

func (f *fetch) rouse(p *part) {
	if p.waits {
		ping(p.wake)
	}
}

// grow doubles the window, once the last doubling has shown its effect. The mutex
// is held.
func (f *fetch) grow() {
	if f.taken == 0 || f.window >= f.most || f.newest != nil && f.newest.got == 0 && !f.newest.done {
		return
	}
	f.window = min(2*f.window, f.most)
	f.extend()
	f.newest = f.parts[len(f.parts)-1]
}

// buffered is how many bytes can be read without waiting.
func (f *fetch) buffered() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := -f.left
	for _, p := range f.parts {
		if p.cut {
			n += p.kept
		} else {
			n += p.got
		}
		if !p.done {
			break
		}
	}
	return int(n)
}

// stop ends all requests, waits for them and gives all memory back. The context
// has been canceled.
func (f *fetch) stop() {
	f.workers.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.parts, f.head = nil, nil
	f.mem.trim()
	f.mem.release(f.mem.charged)
}

// ping wakes the other side. One token is enough: whoever wakes looks at all that
// is there.
func ping(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
