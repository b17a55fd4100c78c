package blob_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/memstore"
)

func TestPut(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	for _, c := range []struct {
		name string
		r    io.Reader
		size int64
		opts *blob.PutOptions
		want error // nil: written
	}{
		{name: "exact", r: strings.NewReader("new"), size: 3},
		{name: "in bytes", r: iotest.OneByteReader(strings.NewReader("new")), size: 3},
		{name: "data with its EOF", r: iotest.DataErrReader(strings.NewReader("new")), size: 3},
		{name: "empty", r: strings.NewReader(""), size: 0},
		{name: "short", r: strings.NewReader("ne"), size: 3, want: io.ErrUnexpectedEOF},
		{name: "long", r: strings.NewReader("newer"), size: 3, want: errAny},
		{name: "failing", r: iotest.ErrReader(boom), size: 3, want: boom},
		{name: "negative", r: strings.NewReader(""), size: -1, want: errAny},
		{name: "absent", r: strings.NewReader("new"), size: 3, opts: &blob.PutOptions{IfAbsent: true}, want: blob.ErrConflict},
		{name: "version", r: strings.NewReader("new"), size: 3, opts: &blob.PutOptions{IfVersion: "1"}},
		{name: "other version", r: strings.NewReader("new"), size: 3, opts: &blob.PutOptions{IfVersion: "0"}, want: blob.ErrConflict},
		{name: "both conditions", r: strings.NewReader("new"), size: 3, opts: &blob.PutOptions{IfAbsent: true, IfVersion: "1"}, want: errAny},
	} {
		s := blob.New(memstore.New(), nil)
		put(t, s, "k", []byte("old"))
		version, err := s.Put(t.Context(), "k", c.r, c.size, c.opts)
		obj, statErr := s.Stat(t.Context(), "k")
		if statErr != nil {
			t.Fatal(statErr)
		}
		if c.want == nil {
			if err != nil || version != obj.Version || obj.Size != c.size {
				t.Errorf("%s: got version %q, %v of %+v, want it written", c.name, version, err, obj)
			}
			continue
		}
		be, ok := errors.AsType[*blob.Error](err)
		if !ok || c.want != errAny && !errors.Is(err, c.want) || be.Op != "put" || be.Key != "k" {
			t.Errorf("%s: got %v, want a put error that is %v", c.name, err, c.want)
		}
		if obj.Size != 3 || obj.Version != "1" {
			t.Errorf("%s: got %+v after a failed put, want the old object", c.name, obj)
		}
	}
}

// Conditions that a store does not check are refused before it is asked.
func TestPutUnsupported(t *testing.T) {
	t.Parallel()
	s := blob.New(remote{memstore.New()}, nil)
	for _, cond := range []blob.PutOptions{{IfAbsent: true}, {IfVersion: "1"}} {
		_, err := s.Put(t.Context(), "k", strings.NewReader(""), 0, &cond)
		if !errors.Is(err, blob.ErrUnsupported) {
			t.Errorf("%+v: got %v, want %v", cond, err, blob.ErrUnsupported)
		}
	}
	if err := s.Delete(t.Context(), "k", nil); !errors.Is(err, blob.ErrUnsupported) {
		t.Errorf("delete: got %v, want %v", err, blob.ErrUnsupported)
	}
}

// failing is a driver whose Stat fails.
type failing struct {
	driver.Driver
	err error
}

func (f failing) Stat(context.Context, string) (driver.Object, error) {
	return driver.Object{}, f.err
}

func TestErrors(t *testing.T) {
	t.Parallel()
	inner := &blob.Error{Op: "stat", Store: "inner:", Key: "k", Err: fs.ErrNotExist}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
		err  error
		want error
		text string
	}{
		{"a plain cause is wrapped", t.Context(), fs.ErrPermission, fs.ErrPermission, `blob: stat outer: "a b": permission denied`},
		{"a wrapped one stays", t.Context(), inner, fs.ErrNotExist, inner.Error()},
		{"a consequence of the context's end is named so", ended, errors.New("connection lost"), context.Canceled, `blob: stat outer: "a b": context canceled (connection lost)`},
		{"the context's own error is not doubled", ended, context.Canceled, context.Canceled, `blob: stat outer: "a b": context canceled`},
	} {
		s := blob.New(failing{err: c.err}, &blob.Options{Name: "outer:"})
		_, err := s.Stat(c.ctx, "a b")
		if !errors.Is(err, c.want) || err.Error() != c.text {
			t.Errorf("%s: got %q, want %q", c.name, err, c.text)
		}
	}
	e := &blob.Error{Op: "read", Store: "s", Key: "k", Offset: 7, Err: io.ErrUnexpectedEOF}
	if got, want := e.Error(), `blob: read s "k" at offset 7: unexpected EOF`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
