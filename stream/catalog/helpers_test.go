package catalog_test

import (
	"bytes"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/internal/testing/leak"
)

// TestMain fails when a test leaves a goroutine behind.
func TestMain(m *testing.M) { leak.Main(m) }

// store is a memory store of the given objects.
func store(t testing.TB, objects map[string][]byte) *blob.Store {
	t.Helper()
	s := blob.New(memstore.New(), &blob.Options{Name: "mem://test"})
	for key, data := range objects {
		put(t, s, key, data)
	}
	return s
}

func put(t testing.TB, s *blob.Store, key string, data []byte) {
	t.Helper()
	if _, err := s.Put(t.Context(), key, bytes.NewReader(data), int64(len(data)), nil); err != nil {
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

// listed is what a source yields after a mark.
func listed(t *testing.T, src blob.Source, after blob.Mark) (objects []blob.Object, err error) {
	t.Helper()
	for obj, err := range src.Objects(t.Context(), after) {
		if err != nil {
			return objects, err
		}
		objects = append(objects, obj)
	}
	return objects, nil
}

func keyList(objects []blob.Object) (keys []string) {
	for _, o := range objects {
		keys = append(keys, o.Key)
	}
	return keys
}
