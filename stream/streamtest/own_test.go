package streamtest_test

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/filestore"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/streamtest"
)

// table is a place of rows in memory.
type table struct {
	mu   sync.Mutex
	rows []streamtest.Row
}

func (t *table) add(rows ...streamtest.Row) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows = append(t.rows, rows...)
}

func (t *table) all() ([]streamtest.Row, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.rows), nil
}

// place has a Sink that write makes.
func (t *table) place(open func() stream.Sink) streamtest.Place {
	return streamtest.Place{Open: open, Rows: t.all}
}

func TestDiscard(t *testing.T) {
	streamtest.RunSink(t, func(*testing.T) streamtest.Place {
		return streamtest.Place{Open: func() stream.Sink { return stream.Discard }}
	})
}

func TestSinkFunc(t *testing.T) {
	streamtest.RunSink(t, func(*testing.T) streamtest.Place {
		to := &table{}
		return to.place(func() stream.Sink {
			return stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
				rows, err := rowsOf(b)
				to.add(rows...)
				return err
			})
		})
	})
}

func rowsOf(b *stream.Batch) (rows []streamtest.Row, err error) {
	for rec := range b.All() {
		r, err := streamtest.ParseRow(rec.Data)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func TestParseTo(t *testing.T) {
	streamtest.RunSink(t, func(*testing.T) streamtest.Place {
		to := &table{}
		p := to.place(func() stream.Sink {
			return stream.ParseTo(func(r stream.Record) (streamtest.Row, error) { return streamtest.ParseRow(r.Data) },
				func(_ context.Context, rows []streamtest.Row) error { to.add(rows...); return nil })
		})
		p.Refuses = true
		return p
	})
}

// held is a Writer that keeps batches until Flush.
type held struct {
	to      *table
	whole   bool
	ended   bool
	batches []*stream.Batch
	rows    []streamtest.Row
}

func (w *held) Write(_ context.Context, b *stream.Batch) error {
	w.ended = b.EndsObject()
	var refused error
	for i := range b.Len() {
		r, err := streamtest.ParseRow(b.Record(i).Data)
		if err == nil {
			w.rows = append(w.rows, r)
		} else if refused = b.Refuse(i, err); refused != nil {
			break
		}
	}
	w.batches = append(w.batches, b.Retain())
	return refused
}

func (w *held) Flush(context.Context) error {
	if !w.whole || w.ended {
		w.to.add(w.rows...)
		w.rows = nil
	}
	w.release()
	return nil
}

func (w *held) release() {
	for _, b := range w.batches {
		b.Release()
	}
	w.batches = nil
}

func (w *held) Close() error { w.release(); return nil }

type heldSink struct{ to *table }

func (s heldSink) Open(context.Context, int) (stream.Writer, error) { return &held{to: s.to}, nil }

func TestWriterThatRetains(t *testing.T) {
	streamtest.RunSink(t, func(*testing.T) streamtest.Place {
		to := &table{}
		p := to.place(func() stream.Sink { return heldSink{to} })
		p.Refuses = true
		return p
	})
}

func TestPerObject(t *testing.T) {
	for _, hidden := range []bool{false, true} {
		t.Run(map[bool]string{false: "plain", true: "hidden"}[hidden], func(t *testing.T) {
			streamtest.RunSink(t, func(*testing.T) streamtest.Place {
				to := &table{}
				p := to.place(func() stream.Sink {
					s := stream.PerObject(func(context.Context, blob.Object) (stream.Writer, error) {
						return &held{to: to, whole: true}, nil
					})
					if hidden {
						return passing{s}
					}
					return s
				})
				p.Refuses, p.Whole = true, true
				return p
			})
		})
	}
}

// passing is a Sink around another that hides what its Writers can do beside.
type passing struct{ stream.Sink }

func (s passing) Open(ctx context.Context, lane int) (stream.Writer, error) {
	w, err := s.Sink.Open(ctx, lane)
	return struct{ stream.Writer }{w}, err
}

func TestFileCheckpoint(t *testing.T) {
	streamtest.RunCheckpoint(t, func(t *testing.T) func() stream.Checkpoint {
		path := filepath.Join(t.TempDir(), "manifest.json")
		return func() stream.Checkpoint { return stream.FileCheckpoint(path) }
	})
}

// absent is a store whose puts honour absence alone.
type absent struct{ driver.Driver }

func (d absent) Traits() driver.Traits {
	t := d.Driver.(driver.Describer).Traits()
	t.PutVersion = false
	return t
}

func (d absent) Delete(ctx context.Context, key, version string) error {
	return d.Driver.(driver.Deleter).Delete(ctx, key, version)
}

func TestBlobCheckpoint(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) driver.Driver{
		"versions": func(*testing.T) driver.Driver { return memstore.New() },
		"absence":  func(*testing.T) driver.Driver { return absent{memstore.New()} },
		"files": func(t *testing.T) driver.Driver {
			d, err := filestore.New(t.TempDir(), nil)
			if err != nil {
				t.Fatal(err)
			}
			return d
		},
	} {
		t.Run(name, func(t *testing.T) {
			streamtest.RunCheckpoint(t, func(t *testing.T) func() stream.Checkpoint {
				store := blob.New(open(t), nil)
				t.Cleanup(func() { store.Close() })
				return func() stream.Checkpoint { return stream.BlobCheckpoint(store, "a \xff/manifest") }
			})
		})
	}
}
