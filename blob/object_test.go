package blob_test

import (
	"context"
	"io"
	"iter"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/memstore"
)

// one is a driver of one object, whose description it passes through.
type one struct {
	*memstore.Driver
	obj driver.Object
}

func (o one) Stat(context.Context, string) (driver.Object, error) { return o.obj, nil }

func (o one) List(context.Context, string, string) iter.Seq2[driver.Object, error] {
	return func(yield func(driver.Object, error) bool) { yield(o.obj, nil) }
}

func (o one) ReadRange(context.Context, string, int64, int64, string) (driver.Range, error) {
	return driver.Range{Body: io.NopCloser(strings.NewReader("x")), Object: o.obj}, nil
}

// What a driver says about an object arrives whole, whichever call asks for it.
func TestObjectIsWhole(t *testing.T) {
	t.Parallel()
	full := driver.Object{
		Key: "p/k", Size: 1, Version: "v", ModTime: time.Unix(1, 0), ContentType: "a/b", ContentEncoding: "gzip",
		StorageClass: "GLACIER", Archive: driver.ArchiveRestored, RestoredUntil: time.Unix(2, 0),
	}
	s := blob.New(one{memstore.New(), full}, &blob.Options{Prefix: "p/"})
	got := map[string]blob.Object{}
	var err error
	if got["Stat"], err = s.Stat(t.Context(), "k"); err != nil {
		t.Fatal(err)
	}
	for obj, err := range s.List(nil).Objects(t.Context(), blob.Mark{}) {
		if got["List"] = obj; err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.NewReader(t.Context(), "k", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got["NewReader"] = r.Object()
	for call, obj := range got {
		if obj.Key != "k" || obj.Archive != blob.ArchiveRestored {
			t.Errorf("%s: got %+v, want the restored object %q", call, obj, "k")
		}
		want := reflect.ValueOf(full)
		for field, value := range reflect.ValueOf(obj).Fields() {
			if value.IsZero() || field.Name != "Key" && field.Name != "Archive" && !value.Equal(want.FieldByName(field.Name)) {
				t.Errorf("%s: %s is %v, want that of %+v", call, field.Name, value, full)
			}
		}
	}
	if n := reflect.TypeFor[driver.Object]().NumField(); n != reflect.TypeFor[blob.Object]().NumField() {
		t.Errorf("a driver's Object has %d fields, want those of package blob", n)
	}
}

// The states of package driver and of package blob are the same numbers.
func TestArchiveStates(t *testing.T) {
	t.Parallel()
	for want, state := range map[string]blob.ArchiveState{
		driver.ArchiveOnline.String():    blob.ArchiveOnline,
		driver.ArchiveArchived.String():  blob.ArchiveArchived,
		driver.ArchiveRestoring.String(): blob.ArchiveRestoring,
		driver.ArchiveRestored.String():  blob.ArchiveRestored,
	} {
		if got := state.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
