package stream

import "context"

// ParseTo is a Sink of typed values. parse makes a value of each record of a
// batch; the record's Data is valid until parse returns. deliver takes the values of one
// batch; its nil means that they are durable, and the slice is reused afterwards.
// Several lanes call both at once.
//
// An error of parse is a bad record, for Options.OnRecordError to decide; where it
// fails the object, the values of the records before it are delivered first. An
// error of deliver ends the job.
func ParseTo[T any](parse func(Record) (T, error), deliver func(context.Context, []T) error) Sink {
	return parseSink[T]{parse, deliver}
}

type parseSink[T any] struct {
	parse   func(Record) (T, error)
	deliver func(context.Context, []T) error
}

func (s parseSink[T]) Open(context.Context, int) (Writer, error) {
	w := &parseWriter[T]{parseSink: s}
	w.all = w.parseAll
	return w, nil
}

type parseWriter[T any] struct {
	parseSink[T]
	batch  *Batch
	values []T
	all    func() error // parseAll
}

// Write parses in stage parse and delivers in stage sink.
func (w *parseWriter[T]) Write(ctx context.Context, b *Batch) error {
	if b.Len() == 0 {
		return nil
	}
	clear(w.values)
	w.batch, w.values = b, w.values[:0]
	refused := b.Parse(ctx, w.all)
	if refused != nil && ctx.Err() != nil {
		return refused
	}
	if len(w.values) > 0 {
		if err := w.deliver(ctx, w.values); err != nil {
			return err
		}
	}
	return refused
}

// parseAll makes the values of the batch, up to the first record that fails the
// object.
func (w *parseWriter[T]) parseAll() error {
	for i := range w.batch.Len() {
		v, err := w.parse(w.batch.Record(i))
		if err == nil {
			w.values = append(w.values, v)
			continue
		}
		if err := w.batch.Refuse(i, err); err != nil {
			return err
		}
	}
	return nil
}

func (w *parseWriter[T]) Flush(context.Context) error { return nil }
func (w *parseWriter[T]) Close() error                { return nil }
func (w *parseWriter[T]) DurableWrites() bool         { return true }
