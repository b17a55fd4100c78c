package streamtest

import (
	"bytes"
	"context"
	"fmt"
	"hash/maphash"
	"io"
	"sync"

	"github.com/thaw-go/thaw/stream"
)

func reader(data []byte) io.Reader { return bytes.NewReader(data) }

// spy stands between a job and the Sink under test.
type spy struct {
	job  *job
	sink stream.Sink

	mu       sync.Mutex
	writes   int
	breaches []error
}

func (s *spy) breach(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.breaches) < 5 {
		s.breaches = append(s.breaches, fmt.Errorf(format, args...))
	}
}

// Open returns a Writer that implements what the one under test does.
func (s *spy) Open(ctx context.Context, lane int) (stream.Writer, error) {
	w, err := s.sink.Open(ctx, lane)
	if err != nil || w == nil {
		return w, err
	}
	sw := &spyWriter{Writer: w, spy: s, written: map[string]int{}}
	d, durable := w.(stream.DurableWriter)
	o, whole := w.(stream.ObjectWriter)
	sw.durable = durable && d.DurableWrites()
	switch {
	case durable && whole:
		return struct {
			*spyWriter
			durableWrites
			abandoner
		}{sw, d, o}, nil
	case durable:
		return struct {
			*spyWriter
			durableWrites
		}{sw, d}, nil
	case whole:
		return struct {
			*spyWriter
			abandoner
		}{sw, o}, nil
	}
	return sw, nil
}

type durableWrites interface{ DurableWrites() bool }
type abandoner interface{ AbandonObject() error }

// spyWriter counts what is written and holds it against what is durable.
type spyWriter struct {
	stream.Writer
	spy     *spy
	durable bool
	closed  bool
	written map[string]int // rows of each object that have to be durable after a Flush
}

var seed = maphash.MakeSeed()

func (w *spyWriter) Write(ctx context.Context, b *stream.Batch) error {
	s := w.spy
	s.mu.Lock()
	n := s.writes
	s.writes++
	s.mu.Unlock()
	if s.job.before != nil {
		if err := s.job.before(n); err != nil {
			return err
		}
	}
	before := sum(b)
	err := w.Writer.Write(ctx, b)
	if sum(b) != before {
		s.breach("%s: Write has changed the batch at record %d", b.Object().Key, b.FirstIndex())
	}
	if err != nil {
		return err
	}
	if !s.job.Whole || b.EndsObject() {
		w.written[b.Object().Key] = w.rows(b)
	}
	if w.durable {
		w.check("Write")
	}
	return nil
}

// rows is how many rows of the object there are up to the batch's end.
func (w *spyWriter) rows(b *stream.Batch) int {
	for _, o := range w.spy.job.objects {
		if o.key == b.Object().Key {
			end := b.FirstIndex() + int64(b.Len())
			return int(end) - missing(o.bad, end)
		}
	}
	return 0
}

func (w *spyWriter) Flush(ctx context.Context) error {
	err := w.Writer.Flush(ctx)
	if err == nil {
		w.check("Flush")
	}
	return err
}

// check holds what was written against what is durable, in jobs of one lane.
func (w *spyWriter) check(after string) {
	j := w.spy.job
	if j.opts.Lanes != 1 || j.Rows == nil {
		return
	}
	byObject, err := j.rows()
	if err != nil {
		w.spy.breach("after %s: %w", after, err)
		return
	}
	for _, o := range j.objects {
		if err := arrived(o, byObject[o.key], w.written[o.key], false); err != nil {
			w.spy.breach("after %s: %w", after, err)
		}
	}
}

func (w *spyWriter) Close() error {
	if w.closed {
		w.spy.breach("Close is called twice")
	}
	w.closed = true
	return w.Writer.Close()
}

// sum is a hash of the batch's data.
func sum(b *stream.Batch) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for rec := range b.All() {
		h.Write(rec.Data)
		h.WriteByte('\n')
	}
	return h.Sum64()
}
