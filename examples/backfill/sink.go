package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/thaw-go/thaw/stream"
)

// lineSink appends records to one file. Every lane has a Writer with a buffer of
// its own, which hands whole lines to the file.
type lineSink struct {
	path   string
	delay  time.Duration
	once   sync.Once
	output *output
	err    error // of opening it
}

// Open opens the file for the first lane: by then the job owns the manifest. A
// run with another manifest is kept out by the lock on the file.
func (s *lineSink) Open(context.Context, int) (stream.Writer, error) {
	s.once.Do(func() { s.output, s.err = openOutput(s.path) })
	if s.err != nil {
		return nil, s.err
	}
	return &lineWriter{output: s.output, delay: s.delay}, nil
}

// close is called when the job has ended.
func (s *lineSink) close() error {
	if s.output == nil {
		return nil
	}
	return s.output.file.Close()
}

// lineWriter is the Writer of one lane.
type lineWriter struct {
	output *output
	delay  time.Duration
	buf    bytes.Buffer // whole lines
}

// bufferSize is about how many bytes gather before a write.
const bufferSize = 256 << 10

// Write takes one batch. What it writes is not durable before Flush.
func (w *lineWriter) Write(ctx context.Context, b *stream.Batch) error {
	if err := pause(ctx, w.delay); err != nil {
		return err
	}
	for rec := range b.All() {
		w.buf.WriteString(rec.ID())
		w.buf.WriteByte('\t')
		w.buf.Write(rec.Data)
		w.buf.WriteByte('\n')
		if w.buf.Len() >= bufferSize {
			if err := w.append(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *lineWriter) append() error {
	err := w.output.do(func(f *os.File) error {
		_, err := f.Write(w.buf.Bytes())
		return err
	})
	w.buf.Reset()
	return err
}

// Flush makes durable what was written: the manifest moves past it afterwards.
func (w *lineWriter) Flush(context.Context) error {
	if err := w.append(); err != nil {
		return err
	}
	return w.output.do((*os.File).Sync)
}

// Close drops what was not flushed: the next run delivers it.
func (w *lineWriter) Close() error { return nil }

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// output is the file that the lanes share.
type output struct {
	file *os.File
	turn chan struct{} // holds a token while a lane uses the file
	err  error         // of the first that failed
}

// do uses the file. After a failure nobody does: the line that was torn by it
// must stay the last.
func (o *output) do(use func(*os.File) error) error {
	o.turn <- struct{}{}
	defer func() { <-o.turn }()
	if o.err == nil {
		o.err = use(o.file)
	}
	return o.err
}

// openOutput opens and locks the file, cuts it after its last whole line and makes its name durable.
// A run that was killed within a write may have left a torn line at the end. It
// was never flushed, so it is cut off: its record comes again.
func openOutput(path string) (*output, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	err = lock(f)
	var end int64
	if err == nil {
		end, err = lastLineEnd(f)
	}
	if err == nil {
		err = f.Truncate(end)
	}
	if err == nil {
		_, err = f.Seek(end, io.SeekStart)
	}
	if err == nil {
		err = syncFolder(filepath.Dir(path))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &output{file: f, turn: make(chan struct{}, 1)}, nil
}

// lastLineEnd is the offset after the last line end of f, 0 if it has none.
func lastLineEnd(f *os.File) (int64, error) {
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, err
	}
	chunk := make([]byte, 64<<10)
	for end > 0 {
		n := min(end, int64(len(chunk)))
		if _, err := f.ReadAt(chunk[:n], end-n); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(chunk[:n], '\n'); i >= 0 {
			return end - n + int64(i) + 1, nil
		}
		end -= n
	}
	return 0, nil
}

// syncFolder makes a new name last, where the system has such a thing.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, os.ErrPermission) {
		return err
	}
	return nil
}
