package gocloudstore_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	gocloud "gocloud.dev/blob"
	gcdriver "gocloud.dev/blob/driver"
	"gocloud.dev/blob/fileblob"
	"gocloud.dev/blob/memblob"
	"gocloud.dev/gcerrors"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/driver/drivertest"
	"github.com/thaw-go/thaw/blob/gocloudstore"
)

// notUTF8 is what every gocloud.dev bucket refuses.
const notUTF8 = "gocloud.dev refuses keys that are not UTF-8"

func TestConformanceMemory(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, func(t *testing.T) drivertest.Harness {
		return drivertest.Harness{
			Driver: gocloudstore.New(memblob.OpenBucket(nil), nil),
			Lacks:  map[drivertest.Ability]string{drivertest.AnyBytes: notUTF8},
		}
	})
}

func TestConformanceFiles(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, func(t *testing.T) drivertest.Harness {
		return drivertest.Harness{
			Driver: gocloudstore.New(openFiles(t), nil),
			Lacks: map[drivertest.Ability]string{
				drivertest.AnyBytes:     notUTF8,
				drivertest.KeyAndFolder: "a name is a file or a folder",
				drivertest.SideNames:    "fileblob keeps .attrs for itself",
				drivertest.OddKeys:      "fileblob refuses some of them",
				drivertest.AnyElement:   "fileblob escapes some of them and refuses others",
			},
		}
	})
}

func openFiles(t *testing.T) *gocloud.Bucket {
	t.Helper()
	b, err := fileblob.OpenBucket(t.TempDir(), &fileblob.Options{Metadata: fileblob.MetadataDontWrite})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// The set and the order of keys do not depend on the size of pages. A file bucket
// loses keys when it is cut into pages, which is an error, never a short listing.
func TestListPageSizes(t *testing.T) {
	t.Parallel()
	var want []string
	for i := range 760 {
		want = append(want, fmt.Sprintf("a/%03d", i), fmt.Sprintf("a-%03d", i))
	}
	slices.Sort(want)
	for name, bucket := range map[string]*gocloud.Bucket{"memblob": memblob.OpenBucket(nil), "fileblob": openFiles(t)} {
		for _, key := range want {
			if err := bucket.WriteAll(t.Context(), key, nil, nil); err != nil {
				t.Fatal(err)
			}
		}
		for _, size := range []int{1, 2, 3, 7, 100, 759, 760, 761, 1000, 1519, 1520, 1521} {
			for _, after := range []string{"", "a-005", "a/", "a/500"} {
				if size < 7 && after != "" {
					continue // memblob sorts all keys for each page
				}
				got, err := list(gocloudstore.WithPageSize(bucket, size), after)
				from, found := slices.BinarySearch(want, after)
				if found {
					from++
				}
				if name == "fileblob" && size < len(want) {
					if !errors.Is(err, driver.ErrUnsupported) {
						t.Errorf("%s, %d a page, after %q: got %d keys, %v, want %v", name, size, after, len(got), err, driver.ErrUnsupported)
					}
					continue
				}
				if err != nil || !slices.Equal(got, want[from:]) {
					t.Errorf("%s, %d a page, after %q: got %d keys and %v, want %d, or in another order", name, size, after, len(got), err, len(want)-from)
				}
			}
		}
	}
}

func list(d driver.Driver, after string) (keys []string, err error) {
	for obj, err := range d.List(context.Background(), "", after) {
		if err != nil {
			return keys, err
		}
		keys = append(keys, obj.Key)
	}
	return keys, nil
}

// broken is a bucket whose calls fail with err.
type broken struct {
	gcdriver.Bucket
	err  error
	code gcerrors.ErrorCode
	keys []string
}

func (b *broken) ErrorCode(error) gcerrors.ErrorCode { return b.code }
func (b *broken) As(any) bool                        { return false }
func (b *broken) ErrorAs(error, any) bool            { return false }
func (b *broken) Close() error                       { return nil }
func (b *broken) Attributes(context.Context, string) (*gcdriver.Attributes, error) {
	return nil, b.err
}
func (b *broken) NewRangeReader(context.Context, string, int64, int64, *gcdriver.ReaderOptions) (gcdriver.Reader, error) {
	return nil, b.err
}
func (b *broken) ListPaged(context.Context, *gcdriver.ListOptions) (*gcdriver.ListPage, error) {
	if b.err != nil {
		return nil, b.err
	}
	page := &gcdriver.ListPage{}
	for _, key := range b.keys {
		page.Objects = append(page.Objects, &gcdriver.ListObject{Key: key})
	}
	return page, nil
}

func TestErrorClasses(t *testing.T) {
	t.Parallel()
	plain := errors.New("service says no")
	for _, c := range []struct {
		code gcerrors.ErrorCode
		err  error
		want error // nil: other
	}{
		{gcerrors.NotFound, plain, fs.ErrNotExist},
		{gcerrors.PermissionDenied, plain, fs.ErrPermission},
		{gcerrors.ResourceExhausted, plain, blob.ErrTransient},
		{gcerrors.DeadlineExceeded, plain, blob.ErrTransient},
		{gcerrors.Unimplemented, plain, blob.ErrUnsupported},
		{gcerrors.Unknown, plain, nil},
		{gcerrors.InvalidArgument, plain, nil},
		{gcerrors.NotFound, &net.DNSError{Err: "no such host", Name: "x", IsNotFound: true}, blob.ErrTransient},
		{gcerrors.Unknown, &net.OpError{Op: "dial", Err: plain}, blob.ErrTransient},
		{gcerrors.Unknown, syscall.ECONNRESET, blob.ErrTransient},
		{gcerrors.Unknown, syscall.EIO, nil},
		{gcerrors.Unknown, syscall.ENOTDIR, fs.ErrNotExist},
	} {
		faults := map[string]error{}
		synctest.Test(t, func(t *testing.T) { // what is transient is asked for again, after waits
			s := blob.New(gocloudstore.New(gocloud.NewBucket(&broken{err: c.err, code: c.code}), nil), nil)
			_, faults["stat"] = s.Stat(t.Context(), "k")
			_, faults["read"] = s.NewReader(t.Context(), "k", nil)
			for _, err := range s.List(nil).Objects(t.Context(), blob.Mark{}) {
				faults["list"] = err
			}
		})
		for _, op := range []string{"stat", "read", "list"} {
			err := faults[op]
			if err == nil {
				t.Errorf("%v: %s: got no error", c.code, op)
				continue
			}
			for _, class := range []error{fs.ErrNotExist, fs.ErrPermission, blob.ErrTransient, blob.ErrUnsupported} {
				if got, want := errors.Is(err, class), class == c.want; got != want {
					t.Errorf("%v, %v: %s: is %v: got %t, want %t", c.code, c.err, op, class, got, want)
				}
			}
			if e, ok := errors.AsType[*blob.Error](err); !ok || e.Store == "" || !errors.Is(err, c.err) {
				t.Errorf("got %q, want the store and the cause", err)
			}
		}
	}
}

func TestListOutOfOrder(t *testing.T) {
	t.Parallel()
	for _, keys := range [][]string{{"b", "a"}, {"a", "a"}, {"a/x/", "a/x.conda"}} {
		got, err := list(gocloudstore.New(gocloud.NewBucket(&broken{keys: keys}), nil), "")
		if err == nil || len(got) != 1 {
			t.Errorf("%q: got %q, %v, want one key and an error", keys, got, err)
		}
	}
}

// Whole seconds of one call agree with fractions of another.
func TestVersionPrecision(t *testing.T) {
	t.Parallel()
	bucket := memblob.OpenBucket(nil)
	if err := bucket.WriteAll(t.Context(), "k", []byte("data"), nil); err != nil {
		t.Fatal(err)
	}
	d := gocloudstore.New(bucket, nil)
	obj, err := d.Stat(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	sec := obj.ModTime.Unix()
	for version, ok := range map[string]bool{
		obj.Version:                         true,
		fmt.Sprintf("4-%d000000000", sec):   true,
		fmt.Sprintf("5-%d000000000", sec):   false,
		fmt.Sprintf("4-%d000000000", sec+1): false,
		"etag":                              false,
	} {
		rng, err := d.ReadRange(t.Context(), "k", 0, -1, version)
		if ok {
			if err != nil || rng.Object.Version != version {
				t.Errorf("%s: got %q, %v, want it served", version, rng.Object.Version, err)
			}
			rng.Body.Close()
		} else if !errors.Is(err, driver.ErrChanged) {
			t.Errorf("%s: got %v, want %v", version, err, driver.ErrChanged)
		}
	}
}

// A bucket stays its owner's to close.
func TestCloseLeavesTheBucket(t *testing.T) {
	t.Parallel()
	bucket := memblob.OpenBucket(nil)
	defer bucket.Close()
	for range 2 {
		s := blob.New(gocloudstore.New(bucket, nil), nil)
		if _, err := s.Put(t.Context(), "k", strings.NewReader("x"), 1, nil); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
