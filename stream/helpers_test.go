package stream_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/filestore"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/internal/testing/leak"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/internal/ahead"
)

// TestMain fails when a test leaves a goroutine behind.
func TestMain(m *testing.M) {
	ahead.Least.Object, ahead.Least.Stored, ahead.Least.Decoded, ahead.Least.Fast = 1, 1, 1, true // units of small objects, too
	leak.Main(m)
}

// store is a memory store of the given objects.
func store(t testing.TB, objects map[string][]byte) *blob.Store {
	t.Helper()
	s := blob.New(memstore.New(), &blob.Options{Name: "mem://test"})
	for key, data := range objects {
		put(t, s, key, data)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// folderStore is the folder dir as a store.
func folderStore(t testing.TB, dir string) *blob.Store {
	t.Helper()
	d, err := filestore.New(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return blob.New(d, nil)
}

func put(t testing.TB, s *blob.Store, key string, data []byte) {
	t.Helper()
	if _, err := s.Put(context.Background(), key, bytes.NewReader(data), int64(len(data)), nil); err != nil {
		t.Fatal(err)
	}
}

// encode is data as one member of a codec.
func encode(t testing.TB, codec string, data []byte) []byte {
	t.Helper()
	b, err := corpus.Encode(codec, data)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// collector is a SinkFunc that keeps all records by key.
type collector struct {
	mu      sync.Mutex
	records map[string][]string
	ids     map[string]int
	last    map[string]int
}

func newCollector() *collector {
	return &collector{records: map[string][]string{}, ids: map[string]int{}, last: map[string]int{}}
}

func (c *collector) write(_ context.Context, b *stream.Batch) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := b.Object().Key
	for rec := range b.All() {
		c.records[key] = append(c.records[key], string(rec.Data))
		c.ids[rec.ID()]++
	}
	if b.EndsObject() {
		c.last[key]++
	}
	return nil
}

// lines is what the records of data are.
func lines(data []byte) []string {
	if len(data) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// isOfRecord reports whether an error is of one record and not of its object.
func isOfRecord(err error) bool {
	_, ok := errors.AsType[*stream.RecordError](err)
	return ok
}

// recordsOptions reads records as Open reads bytes.
func recordsOptions(o *stream.OpenOptions) *stream.RecordsOptions {
	if o == nil {
		return nil
	}
	return &stream.RecordsOptions{Read: o.Read, Object: o.Object}
}
