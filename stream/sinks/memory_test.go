package sinks_test

import (
	"context"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/sinks"
)

// bin is a store that keeps how many bytes were put.
type bin struct {
	driver.Driver
	bytes int64
}

func (b *bin) Put(_ context.Context, _ string, r io.Reader, _ int64, _ driver.Condition) (string, error) {
	n, err := io.Copy(io.Discard, r)
	b.bytes += n
	return "1", err
}

// live is the heap that a collection leaves.
func live() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// measured notes the largest heap, now and then before a Write.
type measured struct {
	stream.ObjectWriter
	writes int
	most   *int64
}

func (w *measured) Write(ctx context.Context, b *stream.Batch) error {
	if w.writes++; w.writes%40 == 1 {
		*w.most = max(*w.most, live())
	}
	return w.ObjectWriter.Write(ctx, b)
}

type openFunc func(ctx context.Context, lane int) (stream.Writer, error)

func (f openFunc) Open(ctx context.Context, lane int) (stream.Writer, error) { return f(ctx, lane) }

// What Files and Objects hold does not grow with the object: a batch's lines and a file.
func TestMemoryOfWholeObjects(t *testing.T) {
	if testing.Short() {
		t.Skip("writes large files")
	}
	const (
		size   = 96 << 20
		memory = 16 << 20
		beside = 4 << 20 // the lines of a batch, and what a job has beside Memory
	)
	line := []byte(strings.Repeat("x", 997) + "\n")
	trash := &bin{Driver: faultstore.New(nil)}
	for _, tt := range []struct {
		why  string
		opts *sinks.LineOptions
		sink func(opts *sinks.LineOptions) stream.Sink
	}{
		{"Files", nil, nil},
		{"Files, wrapped", &sinks.LineOptions{Wrap: true}, nil},
		{"Objects", nil, func(o *sinks.LineOptions) stream.Sink { return sinks.Objects(blob.New(trash, nil), o) }},
		{"Objects, wrapped", &sinks.LineOptions{Wrap: true}, func(o *sinks.LineOptions) stream.Sink { return sinks.Objects(blob.New(trash, nil), o) }},
	} {
		dir := t.TempDir()
		d := faultstore.New(nil)
		d.Add(faultstore.Item{Key: "a", Content: faultstore.Repeated{Block: line, Total: size / 998 * 998}})
		trash.bytes = 0
		to := sinks.Files(dir, tt.opts)
		if tt.sink != nil {
			to = tt.sink(tt.opts)
		}
		most, base := int64(0), live()
		rep, err := stream.Backfill(t.Context(), blob.New(d, nil).List(nil), openFunc(func(ctx context.Context, lane int) (stream.Writer, error) {
			w, err := to.Open(ctx, lane)
			if err != nil {
				return nil, err
			}
			return &measured{w.(stream.ObjectWriter), 0, &most}, nil
		}), &stream.Options{Lanes: 1, Memory: memory, Read: stream.ReadOptions{Frame: "lines", Codec: "none"}})
		if err != nil || rep.Counts.Delivered() != size/998 {
			t.Errorf("%s: got %v, %d records", tt.why, err, rep.Counts.Delivered())
		}
		written := trash.bytes
		if info, err := os.Stat(dir + "/" + sinks.Name("a")); err == nil {
			written = info.Size()
		}
		if written < size/998*998 {
			t.Errorf("%s: got %d bytes written, want at least %d", tt.why, written, size)
		}
		if most > base+memory+beside {
			t.Errorf("%s: %d bytes are live at most, %d of them before; Memory is %d", tt.why, most, base, memory)
		}
		os.RemoveAll(dir)
	}
}

// A device that takes nothing ends the job, and no object is done.
func TestNDJSONFull(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	rep, err := backfill(t, map[string][]byte{"a": []byte("x\n")}, sinks.NDJSON(full, nil), nil)
	if stream.ClassOf(err) != stream.ClassSinkFailed || rep.Counts.Done.Objects > 0 {
		t.Errorf("got %v of class %v, %d objects done", err, stream.ClassOf(err), rep.Counts.Done.Objects)
	}
}
