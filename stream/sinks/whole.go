package sinks

import (
	"context"
	"errors"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream"
)

// draft is where a lane gathers the lines of one object at a time.
type draft interface {
	// begin makes it empty.
	begin() error

	Write(p []byte) (int, error)

	// publish makes what was written durable under a name, all at once.
	publish(ctx context.Context, name string) error

	// drop forgets what was written, if anything was.
	drop() error

	// close ends it, after drop.
	close() error
}

// wholeSink writes whole objects.
type wholeSink struct {
	open  func(lane int) (draft, error)
	keeps func(name string) bool
	opts  *LineOptions
}

// Keeps implements [stream.ObjectKeeper].
func (s *wholeSink) Keeps(name string) bool { return s.keeps(name) }

func (s *wholeSink) Open(ctx context.Context, lane int) (stream.Writer, error) {
	d, err := s.open(lane)
	if err != nil {
		return nil, err
	}
	l := newLines(s.opts)
	w, err := stream.PerObject(func(_ context.Context, obj blob.Object) (stream.Writer, error) {
		return &wholeObject{draft: d, lines: l, name: Name(obj.Key)}, d.begin()
	}).Open(ctx, lane)
	if err != nil {
		return nil, errors.Join(err, d.close())
	}
	return &wholeWriter{w.(stream.ObjectWriter), d}, nil
}

// wholeWriter is the Writer of a lane.
type wholeWriter struct {
	stream.ObjectWriter
	draft draft
}

func (w *wholeWriter) Close() error { return errors.Join(w.ObjectWriter.Close(), w.draft.close()) }

// wholeObject is the Writer of one object. PerObject calls Flush at the object's end.
type wholeObject struct {
	draft draft
	lines *lines
	name  string
}

func (w *wholeObject) Write(_ context.Context, b *stream.Batch) error {
	data, refused := w.lines.of(b)
	if refused != nil {
		return refused // the object has failed, and none of it is kept
	}
	_, err := w.draft.Write(data)
	return err
}

func (w *wholeObject) Flush(ctx context.Context) error { return w.draft.publish(ctx, w.name) }
func (w *wholeObject) Close() error                    { return w.draft.drop() }
