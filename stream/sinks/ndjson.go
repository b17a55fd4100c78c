package sinks

import (
	"context"
	"io"
	"os"

	"github.com/thaw-go/thaw/stream"
)

// NDJSON is a Sink that writes every record to w as one line; the documentation of the
// package says which. A batch is written by one call of w.Write, one batch at a time, so
// that lines of several lanes are never mixed; w need not be safe for concurrent use. Nil
// opts means the zero value.
//
// Flush calls the methods Flush() error and Sync() error of w, in this order, those that it
// has (bufio.Writer, os.File). Pipes, sockets and terminals are not synced. What has
// neither must be durable when its Write returns, if the job is to be continued. w is not
// closed.
//
// An error of w, or a short write, ends the job with class [stream.ClassSinkFailed], and
// then nothing is written to w: a torn line is the last. Records are written
// at least once: a job that is continued repeats those after its last Flush. A process that
// is killed may leave a torn line at the end of a file, which must be removed before the
// job is continued; [Files] does not have this problem.
func NDJSON(w io.Writer, opts *LineOptions) stream.Sink {
	return &lineSink{out: w, opts: opts, turn: make(chan struct{}, 1)}
}

// lineSink is what the lanes share.
type lineSink struct {
	out  io.Writer
	opts *LineOptions
	turn chan struct{} // holds a token while a lane uses out
	err  error         // of the first use that failed
}

func (s *lineSink) Open(context.Context, int) (stream.Writer, error) {
	return &lineWriter{sink: s, lines: newLines(s.opts)}, nil
}

// enter waits for the turn. Where the error is nil, leave ends it.
func (s *lineSink) enter(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if s.err != nil {
		defer s.leave()
		return s.err
	}
	return nil
}

func (s *lineSink) leave() { <-s.turn }

func (s *lineSink) write(p []byte) error {
	n, err := s.out.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	s.err = err
	return err
}

func (s *lineSink) flush() error {
	if f, ok := s.out.(interface{ Flush() error }); ok {
		s.err = f.Flush()
	}
	if f, ok := s.out.(interface{ Sync() error }); ok && s.err == nil && !isStream(s.out) {
		s.err = f.Sync()
	}
	return s.err
}

// isStream reports whether w is a pipe, a socket or a terminal, which cannot sync.
func isStream(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket|os.ModeCharDevice) != 0
}

// lineWriter is the Writer of one lane.
type lineWriter struct {
	sink  *lineSink
	lines *lines
}

func (w *lineWriter) Write(ctx context.Context, b *stream.Batch) error {
	data, refused := w.lines.of(b)
	if len(data) == 0 {
		return refused
	}
	if err := w.sink.enter(ctx); err != nil {
		return err
	}
	defer w.sink.leave()
	if err := w.sink.write(data); err != nil {
		return err
	}
	return refused
}

func (w *lineWriter) Flush(ctx context.Context) error {
	if err := w.sink.enter(ctx); err != nil {
		return err
	}
	defer w.sink.leave()
	return w.sink.flush()
}

func (w *lineWriter) Close() error { return nil }
