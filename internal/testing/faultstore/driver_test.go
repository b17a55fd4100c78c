package faultstore_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/driver/drivertest"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, func(t *testing.T) drivertest.Harness {
		s := faultstore.New(nil)
		return drivertest.Harness{
			Driver: s,
			PutEncoded: func(key string, data []byte, encoding string) error {
				s.Add(faultstore.Item{Key: key, Content: faultstore.Bytes(data), ContentEncoding: encoding})
				return nil
			},
			Deny: func(key string) error {
				s.Add(faultstore.Item{Key: key, Denied: true})
				return nil
			},
		}
	})
}

// pattern is n bytes in which every place is known by its value.
func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i) ^ byte(i>>8)*31 ^ byte(i>>16)*97
	}
	return b
}

// read reads a range whole and closes it.
func read(ctx context.Context, d driver.Driver, key string, offset, length int64, version string) ([]byte, driver.Object, error) {
	rng, err := d.ReadRange(ctx, key, offset, length, version)
	if err != nil {
		return nil, rng.Object, err
	}
	data, err := io.ReadAll(rng.Body)
	rng.Body.Close()
	return data, rng.Object, err
}

func TestBodyFaults(t *testing.T) {
	t.Parallel()
	const size, offset, length = 1000, 100, 500
	data := pattern(size)
	for _, c := range []struct {
		name  string
		fault faultstore.Fault
		given int   // bytes before the end
		want  error // nil: a clean end
	}{
		{"none", faultstore.Fault{}, length, nil},
		{"slow", faultstore.Fault{Kind: faultstore.Slow, Wait: time.Minute}, length, nil},
		{"never", faultstore.Fault{Kind: faultstore.Slow}, 0, context.DeadlineExceeded},
		{"drop", faultstore.Fault{Kind: faultstore.Drop}, 0, driver.ErrTransient},
		{"500", faultstore.Fault{Kind: faultstore.InternalError}, 0, driver.ErrTransient},
		{"503", faultstore.Fault{Kind: faultstore.SlowDown}, 0, driver.ErrTransient},
		{"200 with an error", faultstore.Fault{Kind: faultstore.ErrorDocument}, 0, driver.ErrTransient},
		{"403", faultstore.Fault{Kind: faultstore.Denied}, 0, fs.ErrPermission},
		{"404", faultstore.Fault{Kind: faultstore.Missing}, 0, fs.ErrNotExist},
		{"reset at once", faultstore.Fault{Kind: faultstore.Reset}, 0, driver.ErrTransient},
		{"reset at an odd byte", faultstore.Fault{Kind: faultstore.Reset, At: 77}, 77, driver.ErrTransient},
		{"reset at an even byte", faultstore.Fault{Kind: faultstore.Reset, At: 78}, 78, driver.ErrTransient},
		{"reset behind the last", faultstore.Fault{Kind: faultstore.Reset, At: length}, length, driver.ErrTransient},
		{"reset far behind", faultstore.Fault{Kind: faultstore.Reset, At: 9999}, length, driver.ErrTransient},
		{"cut", faultstore.Fault{Kind: faultstore.Cut, At: 499}, 499, io.ErrUnexpectedEOF},
		{"short", faultstore.Fault{Kind: faultstore.Short, At: 499}, 499, nil},
		{"stall for a time", faultstore.Fault{Kind: faultstore.Stall, At: 10, Wait: time.Minute}, length, nil},
		{"stall for ever", faultstore.Fault{Kind: faultstore.Stall, At: 11}, 11, context.DeadlineExceeded},
		{"decompressed", faultstore.Fault{Kind: faultstore.Gunzip}, 0, driver.ErrTransient},
		{"replaced", faultstore.Fault{Kind: faultstore.Replace, At: 10}, length, nil},
		{"replaced and reset", faultstore.Fault{Kind: faultstore.ReplaceReset, At: 10}, 10, driver.ErrTransient},
		{"of a listing", faultstore.Fault{Kind: faultstore.Disorder}, length, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := faultstore.New(&faultstore.Options{Plan: faultstore.Nth(faultstore.Read, 0, c.fault)})
				version := s.Add(faultstore.Item{Key: "k", Content: faultstore.Bytes(data)})
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				got, _, err := read(ctx, s, "k", offset, length, version)
				if !bytes.Equal(got, data[offset:offset+c.given]) || !errors.Is(err, c.want) {
					t.Errorf("got %d bytes, %v, want %d, %v", len(got), err, c.given, c.want)
				}
				counts := s.Counts()
				if counts.Open != 0 || counts.Calls[faultstore.Read] != 1 || counts.Bytes != int64(c.given) {
					t.Errorf("got %+v, want no open body, one read, %d bytes", counts, c.given)
				}
				replaced := c.fault.Kind == faultstore.Replace || c.fault.Kind == faultstore.ReplaceReset
				got, obj, err := read(t.Context(), s, "k", offset, length, "")
				if same := obj.Version == version && bytes.Equal(got, data[offset:offset+length]); same == replaced || err != nil {
					t.Errorf("second read: got the same object %v, %v, want %v", same, err, !replaced)
				}
			})
		})
	}
}

// A body that is not of the range asked for says where it begins.
func TestWrongRange(t *testing.T) {
	t.Parallel()
	data := pattern(1000)
	for _, c := range []struct {
		fault    faultstore.Fault
		from, to int64
	}{
		{faultstore.Fault{Kind: faultstore.WholeBody}, 0, 1000},
		{faultstore.Fault{Kind: faultstore.Shifted, At: -4}, 96, 596},
		{faultstore.Fault{Kind: faultstore.Shifted, At: 4}, 104, 604},
		{faultstore.Fault{Kind: faultstore.Shifted, At: 700}, 800, 1000},
		{faultstore.Fault{Kind: faultstore.Shifted, At: 9999}, 1000, 1000},
		{faultstore.Fault{Kind: faultstore.Shifted, At: -9999}, 0, 500},
	} {
		s := faultstore.New(&faultstore.Options{Plan: faultstore.Always(faultstore.Read, c.fault)})
		s.Add(faultstore.Item{Key: "k", Content: faultstore.Bytes(data)})
		rng, err := s.ReadRange(t.Context(), "k", 100, 500, "")
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(rng.Body)
		rng.Body.Close()
		if rng.Offset != c.from || !bytes.Equal(got, data[c.from:c.to]) || err != nil {
			t.Errorf("%+v: got %d bytes from %d, %v, want %d from %d", c.fault, len(got), rng.Offset, err, c.to-c.from, c.from)
		}
	}
}

func TestCloseEndsAStall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := faultstore.New(&faultstore.Options{Plan: faultstore.Always(faultstore.Read, faultstore.Fault{Kind: faultstore.Stall})})
		s.Add(faultstore.Item{Key: "k", Content: faultstore.Bytes("x")})
		rng, err := s.ReadRange(t.Context(), "k", 0, -1, "")
		if err != nil {
			t.Fatal(err)
		}
		got := make(chan error)
		go func() {
			_, err := rng.Body.Read(make([]byte, 1))
			got <- err
		}()
		synctest.Wait()
		rng.Body.Close()
		if err := <-got; !errors.Is(err, fs.ErrClosed) {
			t.Errorf("got %v, want %v", err, fs.ErrClosed)
		}
	})
}

// Without preconditions what is there is served, with its version.
func TestNoPreconditions(t *testing.T) {
	t.Parallel()
	for _, without := range []bool{false, true} {
		s := faultstore.New(&faultstore.Options{NoPreconditions: without})
		old := s.Add(faultstore.Item{Key: "k", Content: faultstore.Bytes("\x00\x01")})
		now := s.Replace("k")
		got, obj, err := read(t.Context(), s, "k", 0, -1, old)
		if without && (string(got) != "\xff\xfe" || obj.Version != now || err != nil) {
			t.Errorf("got %q of version %s, %v, want the bytes and version of now", got, obj.Version, err)
		}
		if !without && !errors.Is(err, driver.ErrChanged) {
			t.Errorf("got %v, want %v", err, driver.ErrChanged)
		}
	}
}

func TestListFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		fault faultstore.Fault // of the second page
		want  string
		err   error
	}{
		{"none", faultstore.Fault{}, "abcdefgh", nil},
		{"page error", faultstore.Fault{Kind: faultstore.SlowDown}, "abc", driver.ErrTransient},
		{"broken page", faultstore.Fault{Kind: faultstore.BrokenPage, At: 2}, "abcde", driver.ErrTransient},
		{"disorder", faultstore.Fault{Kind: faultstore.Disorder, At: 1}, "abcdfegh", nil},
		{"duplicate", faultstore.Fault{Kind: faultstore.Duplicate, At: 2}, "abcdeffgh", nil},
		{"no token", faultstore.Fault{Kind: faultstore.NoToken}, "abcdef", driver.ErrTransient},
	} {
		s := faultstore.New(&faultstore.Options{Page: 3, Plan: faultstore.Nth(faultstore.List, 1, c.fault)})
		for _, key := range "hgfedcba" {
			s.Add(faultstore.Item{Key: string(key)})
		}
		got := ""
		var last error
		for obj, err := range s.List(t.Context(), "", "") {
			if last = err; err == nil {
				got += obj.Key
			}
		}
		if got != c.want || !errors.Is(last, c.err) {
			t.Errorf("%s: got %q, %v, want %q, %v", c.name, got, last, c.want, c.err)
		}
	}
}

func TestThaw(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for _, c := range []struct {
		class  string
		listed driver.ArchiveState   // while archived
		states []driver.ArchiveState // before, at the request, after 5 h, after 3 days
	}{
		{faultstore.Glacier, driver.ArchiveArchived, []driver.ArchiveState{driver.ArchiveArchived, driver.ArchiveRestoring, driver.ArchiveRestored, driver.ArchiveArchived}},
		{faultstore.IntelligentTiering, driver.ArchiveOnline, []driver.ArchiveState{driver.ArchiveArchived, driver.ArchiveRestoring, driver.ArchiveOnline, driver.ArchiveOnline}},
	} {
		t.Run(c.class, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := faultstore.New(&faultstore.Options{Thaw: 5 * time.Hour})
				s.Add(faultstore.Item{Key: "k", Content: faultstore.Bytes("data"), StorageClass: c.class, Archived: true})
				for obj := range s.List(t.Context(), "", "") {
					if obj.Archive != c.listed {
						t.Errorf("listing: got %v, want %v", obj.Archive, c.listed)
					}
				}
				for i, do := range []func() error{
					func() error { return nil },
					func() error { return s.Restore(t.Context(), "k", driver.RestoreRequest{Days: 2}) },
					func() error {
						time.Sleep(5 * time.Hour)
						return s.Restore(t.Context(), "k", driver.RestoreRequest{Days: 2})
					},
					func() error { time.Sleep(2 * day); return nil },
				} {
					if err := do(); err != nil {
						t.Fatal(err)
					}
					obj, err := s.Stat(t.Context(), "k")
					if err != nil || obj.Archive != c.states[i] {
						t.Errorf("step %d: got %v, %v, want %v", i, obj.Archive, err, c.states[i])
					}
					want := error(nil)
					if obj.Archive == driver.ArchiveArchived || obj.Archive == driver.ArchiveRestoring {
						want = driver.ErrArchived
					}
					if _, _, err := read(t.Context(), s, "k", 0, -1, ""); !errors.Is(err, want) {
						t.Errorf("step %d: read: got %v, want %v", i, err, want)
					}
				}
				if got := s.Restores(); len(got) != 1 || got[0].Request.Days != 2 {
					t.Errorf("got restores %+v, want one of 2 days", got)
				}
			})
		})
	}
}

func TestRandomIsSeeded(t *testing.T) {
	t.Parallel()
	rates := faultstore.Rates{faultstore.Reset: 0.1, faultstore.SlowDown: 0.05, faultstore.Disorder: 0.5}
	count := func(seed uint64) (faults map[faultstore.Kind]int, all []faultstore.Fault) {
		faults = map[faultstore.Kind]int{}
		plan := faultstore.Random(seed, rates)
		for i := range 10_000 {
			f := plan(faultstore.Call{Op: faultstore.Read, N: i, Key: "k", Offset: int64(i) * 100, Length: 100})
			faults[f.Kind]++
			if f.At < 0 || f.At > 100 {
				t.Errorf("got a fault at %d of 100 bytes", f.At)
			}
			all = append(all, f)
		}
		return faults, all
	}
	faults, first := count(1)
	if n := faults[faultstore.Reset]; n < 900 || n > 1100 {
		t.Errorf("got %d resets of 10,000, want about 1,000", n)
	}
	if n := faults[faultstore.SlowDown]; n < 430 || n > 570 {
		t.Errorf("got %d of 503, want about 500", n)
	}
	if faults[faultstore.Disorder] != 0 {
		t.Errorf("got a fault of listings for a read")
	}
	if _, again := count(1); !slices.Equal(again, first) {
		t.Errorf("the same seed gave other faults")
	}
	if _, other := count(2); slices.Equal(other, first) {
		t.Errorf("another seed gave the same faults")
	}
}

func TestPlansCombine(t *testing.T) {
	t.Parallel()
	reset, cut := faultstore.Fault{Kind: faultstore.Reset}, faultstore.Fault{Kind: faultstore.Cut}
	plan := faultstore.First(
		faultstore.Nth(faultstore.Read, 2, cut),
		faultstore.Tries(faultstore.Read, reset, reset),
	)
	for i, want := range []faultstore.Fault{reset, reset, cut, {}} {
		if got := plan(faultstore.Call{Op: faultstore.Read, N: i, Try: i}); got != want {
			t.Errorf("call %d: got %+v, want %+v", i, got, want)
		}
	}
}

func TestRepeated(t *testing.T) {
	t.Parallel()
	block := pattern(97)
	want := bytes.Repeat(block, 5)[:400]
	s := faultstore.New(nil)
	s.Add(faultstore.Item{Key: "k", Content: faultstore.Repeated{Block: block, Total: 400}})
	for _, c := range [][2]int64{{0, 400}, {0, 97}, {96, 2}, {97, 97}, {399, 1}, {300, 500}, {400, 1}} {
		from, to := c[0], min(c[0]+c[1], 400)
		got, _, err := read(t.Context(), s, "k", c[0], c[1], "")
		if err != nil || !bytes.Equal(got, want[from:to]) {
			t.Errorf("%v: got %d bytes, %v, want bytes %d to %d", c, len(got), err, from, to)
		}
	}
}
