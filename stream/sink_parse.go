package stream

import (
	"context"
	"errors"

	"github.com/thaw-go/thaw/internal/meter"
)

// ParseTo is a Sink of typed values. parse makes a value of each record of a
// batch; the record's Data is valid until parse returns. deliver takes the values of one
// batch; its nil means that they are durable, and the slice is reused afterwards.
// Several lanes call both at once. An error of parse is a bad record, for
// Options.OnRecordError to decide; where that fails the object, none of the batch's
// values is delivered. An error of deliver ends the job.
func ParseTo[T any](parse func(Record) (T, error), deliver func(context.Context, []T) error) Sink {
	return parseSink[T]{parse, deliver}
}

type parseSink[T any] struct {
	parse   func(Record) (T, error)
	deliver func(context.Context, []T) error
}

func (s parseSink[T]) Open(context.Context, int) (Writer, error) {
	return &parseWriter[T]{parseSink: s}, nil
}

type parseWriter[T any] struct {
	parseSink[T]
	values []T
}

func (w *parseWriter[T]) durable() bool { return true }

// Write parses under the lane's worker permit, in stage parse, and delivers in
// stage sink.
func (w *parseWriter[T]) Write(ctx context.Context, b *Batch) error {
	if b.Len() == 0 {
		return nil
	}
	l := b.lane
	if l == nil {
		return errors.New("stream: ParseTo was given a copy of a batch")
	}
	if err := l.work(ctx, meter.Parse); err != nil {
		return err
	}
	clear(w.values)
	w.values = w.values[:0]
	for i := range b.Len() {
		rec := b.Record(i)
		v, err := w.parse(rec)
		if err != nil {
			if err := l.recordFailed(b.object, rec, err); err != nil {
				return err
			}
			if err := l.work(ctx, meter.Parse); err != nil {
				return err
			}
			continue
		}
		w.values = append(w.values, v)
	}
	l.block(meter.Sink)
	if len(w.values) == 0 {
		return nil
	}
	return w.deliver(ctx, w.values)
}

func (w *parseWriter[T]) Flush(context.Context) error { return nil }
func (w *parseWriter[T]) Close() error                { return nil }
