package memstore_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver/drivertest"
	"github.com/thaw-go/thaw/blob/memstore"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, func(t *testing.T) drivertest.Harness {
		return drivertest.Harness{Driver: memstore.New()}
	})
}

// The same steps give the same versions, so that tests may state them.
func TestVersionsCountWrites(t *testing.T) {
	t.Parallel()
	s := blob.New(memstore.New(), nil)
	for _, want := range []string{"1", "2"} {
		got, err := s.Put(t.Context(), "k", strings.NewReader("x"), 1, nil)
		if err != nil || got != want {
			t.Errorf("got version %q, %v, want %q", got, err, want)
		}
	}
}

func TestURL(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"mem:opaque", "mem://host", "mem:?x=1", "mem://user@/"} {
		if s, err := blob.Open(t.Context(), bad, nil); err == nil {
			t.Errorf("%s: got %s, want an error", bad, s.Name())
		}
	}
	a, err := blob.Open(t.Context(), "mem:", nil)
	b, err2 := blob.Open(t.Context(), "mem:///folder/", nil)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Put(t.Context(), "k", strings.NewReader(""), 0, nil); err != nil {
		t.Fatal(err)
	}
	for obj, err := range b.List(nil).Objects(t.Context(), blob.Mark{}) {
		t.Errorf("got %q, %v in another store, want none", obj.Key, err)
	}
	if b.Name() != "mem:///folder/" {
		t.Errorf("got name %q, want mem:///folder/", b.Name())
	}
}
