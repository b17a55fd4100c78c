package blob

import "io"

// read copies what has arrived. It waits if there is nothing.
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

// peek returns bytes of the first chunk that have arrived. If there are none it returns
// the outcome, waits if it may, or returns nothing.
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

// consume takes n bytes of what peek returned.
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

// look finds what the consumer may read without the mutex, else the outcome. If there
// is neither and stall is set, the consumer waits, and the window grows.
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
	if f.leftErr != nil {
		return f.leftErr
	}
	return io.EOF
}

// complete reports whether a part has all its bytes and is not the last: what comes
// after them does not matter. A part that was cut may still be written to. The caller
// holds the mutex.
func (f *fetch) complete(p *part) bool {
	return !p.cut && p.got == p.want && (len(f.parts) > 1 || f.next < f.end)
}

// pop removes the first part. The caller holds the mutex.
func (f *fetch) pop() {
	f.parts[0] = nil
	f.parts = f.parts[1:]
	f.left = 0
	f.extend()
	if len(f.parts) > 0 {
		f.wake(f.parts[0])
	}
}

// free frees the emptied head and wakes a part that waits for a chunk: the first part,
// else the nearest one. The caller holds the mutex.
func (f *fetch) free() {
	c := f.head
	f.head, f.limit = nil, 0
	f.parts[0].chunks = f.parts[0].chunks[1:]
	f.parts[0].freed += int64(c.w)
	f.mem.put(c, f.expects())
	for _, p := range f.parts {
		if p.waits {
			f.wake(p)
			return
		}
		if c.own {
			return
		}
	}
}

func (f *fetch) wake(p *part) {
	if p.waits {
		ping(p.wake)
	}
}

// growth is how much the window grows at once: each growth shows its effect after the wait
// for a first byte only.
const growth = 4

// grow makes the window larger, once the last growth has shown its effect. The caller holds
// the mutex.
func (f *fetch) grow() {
	if f.taken == 0 || f.window >= f.most || f.newest != nil && f.newest.got == 0 && !f.newest.done {
		return
	}
	f.window = min(growth*f.window, f.most)
	f.extend()
	f.newest = f.parts[len(f.parts)-1]
}

// buffered returns how many bytes can be read without waiting.
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

// largeObject is how many bytes a Reader must have read for its window to tell what the
// service needs.
const largeObject = 4 * rangeSize

// stop waits for all requests and releases all memory. The caller has canceled the
// context.
func (f *fetch) stop() {
	f.workers.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.taken >= largeObject {
		f.pin.store.service.ranges.Store(int64(f.window))
	}
	f.parts, f.head = nil, nil
	f.mem.trim()
	f.mem.release(f.mem.charged)
}

// ping wakes the other side. One token is enough: whoever is woken looks at everything.
func ping(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
