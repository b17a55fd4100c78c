package s3store_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"testing"
	"time"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
)

// errAny is any class.
var errAny = errors.New("any")

// Each fault has its class, whatever call meets it; nothing is retried.
func TestClasses(t *testing.T) {
	t.Parallel()
	const size = 100_000
	for _, c := range []struct {
		op    faultstore.Op
		fault faultstore.Fault
		want  error
	}{
		{faultstore.Read, faultstore.Fault{Kind: faultstore.Drop}, driver.ErrTransient},
		{faultstore.Read, faultstore.Fault{Kind: faultstore.InternalError}, driver.ErrTransient},
		{faultstore.Read, faultstore.Fault{Kind: faultstore.SlowDown}, driver.ErrTransient},
		{faultstore.Read, faultstore.Fault{Kind: faultstore.ErrorDocument}, driver.ErrTransient},
		{faultstore.Read, faultstore.Fault{Kind: faultstore.Denied}, fs.ErrPermission},
		{faultstore.Read, faultstore.Fault{Kind: faultstore.Missing}, fs.ErrNotExist},
		{faultstore.Read, faultstore.Fault{Kind: faultstore.Reset, At: 50_000}, driver.ErrTransient},
		{faultstore.Read, faultstore.Fault{Kind: faultstore.Cut, At: 50_000}, io.ErrUnexpectedEOF},
		{faultstore.Read, faultstore.Fault{Kind: faultstore.Short, At: 50_000}, io.ErrUnexpectedEOF},
		{faultstore.Read, faultstore.Fault{Kind: faultstore.WholeBody}, driver.ErrTransient},
		{faultstore.Read, faultstore.Fault{Kind: faultstore.Shifted, At: -4}, driver.ErrTransient},
		{faultstore.Read, faultstore.Fault{Kind: faultstore.Shifted, At: 4}, driver.ErrTransient},
		{faultstore.Stat, faultstore.Fault{Kind: faultstore.Drop}, driver.ErrTransient},
		{faultstore.Stat, faultstore.Fault{Kind: faultstore.InternalError}, driver.ErrTransient},
		{faultstore.Stat, faultstore.Fault{Kind: faultstore.SlowDown}, driver.ErrTransient},
		{faultstore.Stat, faultstore.Fault{Kind: faultstore.Denied}, fs.ErrPermission},
		{faultstore.Stat, faultstore.Fault{Kind: faultstore.Missing}, fs.ErrNotExist},
		{faultstore.List, faultstore.Fault{Kind: faultstore.Drop}, driver.ErrTransient},
		{faultstore.List, faultstore.Fault{Kind: faultstore.InternalError}, driver.ErrTransient},
		{faultstore.List, faultstore.Fault{Kind: faultstore.SlowDown}, driver.ErrTransient},
		{faultstore.List, faultstore.Fault{Kind: faultstore.ErrorDocument}, driver.ErrTransient},
		{faultstore.List, faultstore.Fault{Kind: faultstore.Denied}, fs.ErrPermission},
		{faultstore.List, faultstore.Fault{Kind: faultstore.BrokenPage, At: 1}, driver.ErrTransient},
		{faultstore.List, faultstore.Fault{Kind: faultstore.Disorder}, errAny},
		{faultstore.List, faultstore.Fault{Kind: faultstore.Duplicate}, errAny},
		{faultstore.List, faultstore.Fault{Kind: faultstore.NoToken}, errAny},
		{faultstore.Put, faultstore.Fault{Kind: faultstore.SlowDown}, driver.ErrTransient},
		{faultstore.Put, faultstore.Fault{Kind: faultstore.Denied}, fs.ErrPermission},
		{faultstore.Delete, faultstore.Fault{Kind: faultstore.SlowDown}, driver.ErrTransient},
	} {
		t.Run(c.op.String()+"/"+c.fault.Kind.String(), func(t *testing.T) {
			t.Parallel()
			store, d := serve(t, &faultstore.Options{Plan: faultstore.Always(c.op, c.fault)})
			version := store.Add(faultstore.Item{Key: "k", Content: faultstore.Bytes(bytes.Repeat([]byte("x"), size))})
			store.Add(faultstore.Item{Key: "l"})
			store.Add(faultstore.Item{Key: "m"})
			var err error
			switch c.op {
			case faultstore.Read:
				var r driver.Range
				if r, err = d.ReadRange(t.Context(), "k", 1000, -1, version); err == nil {
					_, err = io.Copy(io.Discard, r.Body)
					r.Body.Close()
				}
			case faultstore.Stat:
				_, err = d.Stat(t.Context(), "k")
			case faultstore.List:
				for _, e := range d.List(t.Context(), "", "") {
					err = e
				}
			case faultstore.Put:
				_, err = d.Put(t.Context(), "n", bytes.NewReader(nil), 0, driver.Condition{})
			case faultstore.Delete:
				err = d.Delete(t.Context(), "k", "")
			}
			if err == nil || c.want != errAny && !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if n := store.Counts().Calls[c.op]; n != 1 {
				t.Errorf("got %d requests, want 1", n)
			}
		})
	}
}

// An error within a success is not taken for an object, even where nothing is
// known of that.
func TestErrorDocument(t *testing.T) {
	t.Parallel()
	store, d := serve(t, &faultstore.Options{Plan: faultstore.Always(faultstore.Read, faultstore.Fault{Kind: faultstore.ErrorDocument})})
	store.Add(faultstore.Item{Key: "k", Content: faultstore.Bytes([]byte("0123456789"))})
	r, err := d.ReadRange(t.Context(), "k", 0, -1, "")
	if !errors.Is(err, driver.ErrTransient) {
		t.Errorf("got %v, want %v", err, driver.ErrTransient)
	}
	if err == nil {
		r.Body.Close()
	}
}

// A range that is answered by the whole object is good where it begins at 0.
func TestWholeForBeginning(t *testing.T) {
	t.Parallel()
	store, d := serve(t, &faultstore.Options{Plan: faultstore.Always(faultstore.Read, faultstore.Fault{Kind: faultstore.WholeBody})})
	store.Add(faultstore.Item{Key: "k", Content: faultstore.Bytes([]byte("0123456789"))})
	for _, length := range []int64{4, 10, 20, -1} {
		r, err := d.ReadRange(t.Context(), "k", 0, length, "")
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r.Body)
		r.Body.Close()
		want := "0123456789"
		if length == 4 {
			want = want[:4]
		}
		if string(data) != want || err != nil || r.Object.Size != 10 {
			t.Errorf("length %d: got %q of %d bytes, %v, want %q of 10", length, data, r.Object.Size, err, want)
		}
	}
}

// The caller's end is the caller's, not the network's.
func TestEndOfContext(t *testing.T) {
	t.Parallel()
	store, d := serve(t, &faultstore.Options{Plan: faultstore.Always(faultstore.Read, faultstore.Fault{Kind: faultstore.Stall, At: 10})})
	store.Add(faultstore.Item{Key: "k", Content: faultstore.Bytes(make([]byte, 1000))})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	r, err := d.ReadRange(ctx, "k", 0, -1, "")
	if err == nil {
		_, err = io.Copy(io.Discard, r.Body)
		r.Body.Close()
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
	}
}

func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	store := faultstore.New(nil)
	d := gone(t, store)
	_, err := d.Stat(t.Context(), "k")
	if !errors.Is(err, driver.ErrTransient) || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want %v", err, driver.ErrTransient)
	}
}
