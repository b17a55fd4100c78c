package blob

import (
	"context"
	"io"
	"sync"
)

// NOTE: how read-ahead works.
//
// One goroutine, the producer, asks for ranges one after the other and fills
// chunks; the consumer, whoever calls Reader.Read, empties them:
//
//	freed ◀─ [full r▒▒▒▒] [full ▒▒▒▒▒] [tail ▒▒▒▒w····] ◀─ body
//	          ▲ consumer                         ▲ producer
//
// The consumer may take bytes from the tail while the producer appends to it:
// below w they are the consumer's, from w on the producer's; w moves under the
// mutex, and the consumer looks at it only when it has read up to where it was. So a byte can be read as soon as it has arrived, and a chunk is always
// filled up before the next one is begun.
//
// Two chunks are the reader's own; each further one is asked of the Budget, and
// given back when the number of chunks held goes down. A Budget that refuses
// slows the producer down but never stops it: the consumer always frees one of
// the two in the end.

const (
	smallChunk = 64 << 10  // where ReadAhead is under 256 KiB
	largeChunk = 128 << 10 // two of them are the 256 KiB that need no Budget
	ownChunks  = 2
	maxSpare   = 8 // emptied chunks that wait for the producer
)

// chunk is a buffer on its way from the producer to the consumer.
type chunk struct {
	buf  []byte
	r, w int // read and written so far
}

// readAhead is the queue between producer and consumer.
type readAhead struct {
	ctx    context.Context
	chunk  int // size of every chunk
	most   int // chunks that may be held
	budget Budget

	ready chan struct{} // to the consumer: bytes or the outcome are there
	space chan struct{} // to the producer: a chunk is free
	done  chan struct{} // closed when the producer has returned

	mu      sync.Mutex
	queue   []*chunk // the last one is the tail
	spare   []*chunk // emptied, kept for the producer
	held    int      // chunks in queue and spare
	arrived int      // bytes that ever were in the queue
	outcome error    // io.EOF or the fault, behind the bytes in the queue

	// The consumer's own.
	head    *chunk // the one it is reading; nil: to be looked for
	limit   int    // what of it may be read without the mutex
	taken   int    // bytes read
	stopped bool
}

// startReadAhead begins to fetch what follows the opened request.
func startReadAhead(ctx context.Context, first *request, o *ReaderOptions) *readAhead {
	a := &readAhead{
		ctx:    ctx,
		chunk:  largeChunk,
		budget: o.Budget,
		ready:  make(chan struct{}, 1),
		space:  make(chan struct{}, 1),
		done:   make(chan struct{}),
	}
	if o.ReadAhead < ownChunks*largeChunk {
		a.chunk = smallChunk
	}
	a.most = int(max(ownChunks, o.ReadAhead/int64(a.chunk)))
	// A small object gets one small chunk. The stated size only ever makes
	// the chunk smaller.
	if left := first.pin.size - first.info.Offset; left < int64(a.chunk) {
		a.chunk = int(max(left, 1))
	}
	go func() {
		defer close(a.done)
		a.finish(a.produce(first, o.RangeSize))
	}()
	return a
}

// produce reads range after range until the object's end.
func (a *readAhead) produce(q *request, rangeSize int64) error {
	p := q.pin
	for {
		if err := a.fill(q); err != nil {
			return err
		}
		next := q.info.Offset + q.want
		if next >= p.size {
			return io.EOF
		}
		var err error
		if q, err = p.open(a.ctx, next, min(rangeSize, p.size-next)); err != nil {
			return err
		}
	}
}

// fill moves one body into the queue and reads it up to its io.EOF, which lets
// the connection be used again.
func (a *readAhead) fill(q *request) error {
	defer q.end(errClosed)
	var beyond [1]byte
	for {
		dst := beyond[:]
		var c *chunk
		if q.info.Got < q.want {
			var err error
			if c, err = a.tail(); err != nil {
				return q.pin.fail(a.ctx, q.info.Offset+q.info.Got, err)
			}
			dst = c.buf[c.w:]
			dst = dst[:min(int64(len(dst)), q.want-q.info.Got+1)]
		}
		n, err := q.Read(dst)
		if n > 0 {
			a.publish(c, n)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// tail gives the chunk to append to. It waits for the consumer when as many
// chunks are held as may be.
func (a *readAhead) tail() (*chunk, error) {
	for {
		if c := a.tryTail(); c != nil {
			return c, nil
		}
		select {
		case <-a.space:
		case <-a.ctx.Done():
			return nil, a.ctx.Err()
		}
	}
}

func (a *readAhead) tryTail() *chunk {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n := len(a.queue); n > 0 && a.queue[n-1].w < len(a.queue[n-1].buf) {
		return a.queue[n-1]
	}
	var c *chunk
	if n := len(a.spare); n > 0 {
		c = a.spare[n-1]
		a.spare = a.spare[:n-1]
		c.r, c.w = 0, 0
	} else {
		if a.held >= a.most {
			return nil
		}
		if a.held >= ownChunks && a.budget != nil && !a.budget.TryAcquire(int64(a.chunk)) {
			return nil
		}
		a.held++
		c = &chunk{buf: make([]byte, a.chunk)}
	}
	a.queue = append(a.queue, c)
	return c
}

// publish hands n more bytes of the tail to the consumer.
func (a *readAhead) publish(c *chunk, n int) {
	a.mu.Lock()
	c.w += n
	a.arrived += n
	a.mu.Unlock()
	ping(a.ready)
}

// finish states the outcome; spare chunks are of no more use.
func (a *readAhead) finish(err error) {
	a.mu.Lock()
	a.outcome = err
	for range a.spare {
		a.drop()
	}
	a.spare = nil
	a.mu.Unlock()
	ping(a.ready)
}

// read gives what has arrived, or waits for it.
func (a *readAhead) read(p []byte) (int, error) {
	for {
		n, err := a.take(p)
		if n > 0 || err != nil {
			return n, err
		}
		select {
		case <-a.ready:
		case <-a.ctx.Done():
			// The producer ends by itself and states the outcome.
			<-a.done
		}
	}
}

// take copies what is there. The outcome comes when the queue is empty.
func (a *readAhead) take(p []byte) (n int, err error) {
	for n < len(p) {
		if a.head == nil || a.head.r == a.limit {
			if err = a.look(); a.head == nil || a.head.r == a.limit {
				break
			}
		}
		k := copy(p[n:], a.head.buf[a.head.r:a.limit])
		a.head.r += k
		a.taken += k
		n += k
		if a.head.r == len(a.head.buf) {
			a.free()
		}
	}
	if n > 0 {
		err = nil
	}
	return n, err
}

// look finds what the consumer may take without the mutex, else the outcome.
func (a *readAhead) look() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.head == nil && len(a.queue) > 0 {
		a.head = a.queue[0]
	}
	if a.head != nil {
		a.limit = a.head.w
		if a.head.r < a.limit {
			return nil
		}
	}
	return a.outcome
}

// free takes the emptied head from the queue. A few chunks are kept for the
// producer while there is one, the others are given up.
func (a *readAhead) free() {
	a.mu.Lock()
	a.queue = a.queue[1:]
	if a.outcome == nil && len(a.spare) < maxSpare {
		a.spare = append(a.spare, a.head)
	} else {
		a.drop()
	}
	a.mu.Unlock()
	a.head = nil
	ping(a.space)
}

// drop gives one chunk up. The mutex is held.
func (a *readAhead) drop() {
	if a.held--; a.held >= ownChunks && a.budget != nil {
		a.budget.Release(int64(a.chunk))
	}
}

func (a *readAhead) buffered() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.arrived - a.taken
}

// stop ends the producer, waits for it and gives all memory back.
func (a *readAhead) stop(cancel context.CancelFunc) {
	cancel()
	<-a.done
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stopped {
		return
	}
	a.stopped = true
	for a.held > 0 {
		a.drop()
	}
	a.queue, a.spare = nil, nil
}

// ping wakes the other side. One token is enough: whoever wakes looks at all
// that is there.
func ping(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
