package drivertest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"sync"
	"sync/atomic"
	"testing/iotest"

	"github.com/thaw-go/thaw/blob/driver"
)

var errReader = errors.New("the reader failed")

var writeCases = []testCase{
	{
		name: "PutReplaces",
		rule: "a Put without condition replaces, and returns the version that Stat and reads give",
		run: func(s *store) {
			for _, data := range [][]byte{pattern(10), nil, pattern(70000)} {
				version := s.put("k/l", data)
				got, obj, err := s.read(s.Context(), "k/l", 0, -1, "")
				if err != nil || !bytes.Equal(got, data) {
					s.Errorf("got %d bytes, %v, want %d", len(got), err, len(data))
				}
				stat, err := s.Stat(s.Context(), "k/l")
				if err != nil || stat.Version != version || obj.Version != version {
					s.Errorf("got versions %q of Put, %q of Stat, %q of the read, %v, want one", version, stat.Version, obj.Version, err)
				}
			}
		},
	},
	{
		name: "PutFails",
		rule: "a Put whose reader fails leaves what was there, and nothing where nothing was",
		run: func(s *store) {
			s.put("old", []byte("old"))
			for _, key := range []string{"old", "new"} {
				r := io.MultiReader(bytes.NewReader(pattern(50000)), iotest.ErrReader(errReader))
				if _, err := s.Put(s.Context(), key, r, 100000, driver.Condition{}); !errors.Is(err, errReader) {
					s.Errorf("Put(%q): got %v, want %v", key, err, errReader)
				}
			}
			if got, _, err := s.read(s.Context(), "old", 0, -1, ""); string(got) != "old" || err != nil {
				s.Errorf("got %d bytes, %v, want the old object", len(got), err)
			}
			if got := s.list("", ""); len(got) != 1 {
				s.Errorf("got %q, want the old object alone", got)
			}
		},
	},
	{
		name: "PutRefused",
		rule: "a key that the store does not take is an error, and nothing is written under another one",
		run: func(s *store) {
			for key, why := range s.harness.Refuses {
				if _, err := s.Put(s.Context(), key, bytes.NewReader(nil), 0, driver.Condition{}); err == nil {
					s.Errorf("Put(%q): got no error, though the harness says: %s", key, why)
				}
			}
			if got := s.list("", ""); len(got) != 0 {
				s.Errorf("got %q, want none", got)
			}
		},
	},
	{
		name: "PutAbsent",
		rule: "of many that put if absent at once one succeeds, the others get driver.ErrConflict; a store that cannot says driver.ErrUnsupported",
		run: func(s *store) {
			absent := driver.Condition{Absent: true}
			if !s.traits().PutAbsent {
				s.wantUnsupported(absent)
				return
			}
			for round := range 10 {
				key := fmt.Sprintf("lock/%d", round)
				var won atomic.Int32
				var winner atomic.Value
				var wg sync.WaitGroup
				for w := range 8 {
					wg.Go(func() {
						data := []byte(fmt.Sprint("writer ", w))
						_, err := s.Put(s.Context(), key, bytes.NewReader(data), int64(len(data)), absent)
						switch {
						case err == nil:
							won.Add(1)
							winner.Store(string(data))
						case !errors.Is(err, driver.ErrConflict):
							s.Errorf("got %v, want %v", err, driver.ErrConflict)
						}
					})
				}
				wg.Wait()
				if won.Load() != 1 {
					s.Fatalf("got %d winners, want 1", won.Load())
				}
				if got, _, err := s.read(s.Context(), key, 0, -1, ""); string(got) != winner.Load() || err != nil {
					s.Errorf("got %q, %v, want that of the winner, %q", got, err, winner.Load())
				}
			}
		},
	},
	{
		name: "PutVersion",
		rule: "a Put if version succeeds on that version only, else it is driver.ErrConflict; a store that cannot says driver.ErrUnsupported",
		run: func(s *store) {
			if !s.traits().PutVersion || s.harness.missing(Conditions) != "" {
				s.wantUnsupported(driver.Condition{Version: s.put("k", []byte("old"))})
				return
			}
			first := s.put("k", []byte("one"))
			put := func(data, version string) (string, error) {
				return s.Put(s.Context(), "k", bytes.NewReader([]byte(data)), int64(len(data)), driver.Condition{Version: version})
			}
			second, err := put("two", first)
			if err != nil {
				s.Fatal(err)
			}
			if _, err := put("lost", first); !errors.Is(err, driver.ErrConflict) {
				s.Errorf("got %v, want %v", err, driver.ErrConflict)
			}
			if got, _, err := s.read(s.Context(), "k", 0, -1, second); string(got) != "two" || err != nil {
				s.Errorf("got %q, %v, want the second version", got, err)
			}
			r := bytes.NewReader(nil)
			if _, err := s.Put(s.Context(), "none", r, 0, driver.Condition{Version: first}); !errors.Is(err, driver.ErrConflict) {
				s.Errorf("on a missing object: got %v, want %v", err, driver.ErrConflict)
			}
		},
	},
	{
		name: "Delete of a version",
		rule: "a Delete of a version deletes that one alone; another is ErrChanged, and none is that or fs.ErrNotExist",
		run: func(s *store) {
			d, ok := s.Driver.(driver.Deleter)
			if !ok {
				s.Skip("the driver does not delete")
			}
			first := s.putObject("k", []byte("one"))
			if first.Version == "" {
				s.Skip("the driver knows no versions")
			}
			second := s.putObject("k", []byte("second"))
			if err := d.Delete(s.Context(), "k", first.Version); !errors.Is(err, driver.ErrChanged) {
				s.Errorf("the version before: got %v, want %v", err, driver.ErrChanged)
			}
			if got, _, err := s.read(s.Context(), "k", 0, -1, ""); string(got) != "second" || err != nil {
				s.Errorf("after a refused delete: got %q, %v, want the second version", got, err)
			}
			if err := d.Delete(s.Context(), "k", second.Version); err != nil {
				s.Errorf("the version that is there: got %v", err)
			}
			err := d.Delete(s.Context(), "k", second.Version)
			if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, driver.ErrChanged) { // some services judge the condition first
				s.Errorf("no object: got %v, want %v or %v", err, fs.ErrNotExist, driver.ErrChanged)
			}
		},
	},
	{
		name: "Copy",
		rule: "a Copy of a version copies that one alone, whatever the keys, and replaces what is there",
		run: func(s *store) {
			d, ok := s.Driver.(driver.Copier)
			if !ok {
				s.Skip("the driver does not copy")
			}
			for _, keys := range [][2]string{{"k", "copy"}, {"a b+c%41/é&=?#.gz", "to/a+b %2B.gz"}} {
				from, key := keys[0], keys[1]
				first := s.putObject(from, []byte("one"))
				s.put(key, []byte("in the way"))
				if err := d.Copy(s.Context(), first, key); err != nil {
					s.Fatalf("%q: %v", from, err)
				}
				for _, k := range keys {
					if got, _, err := s.read(s.Context(), k, 0, -1, ""); string(got) != "one" || err != nil {
						s.Errorf("%q to %q: got %q, %v in %q", from, key, got, err, k)
					}
				}
				s.put(from, []byte("second"))
				if err := d.Copy(s.Context(), driver.Object{Key: from, Size: -1}, key); err != nil {
					s.Errorf("any version: got %v", err)
				}
				if first.Version == "" {
					continue
				}
				if err := d.Copy(s.Context(), first, key); !errors.Is(err, driver.ErrChanged) {
					s.Errorf("the version before: got %v, want %v", err, driver.ErrChanged)
				}
				if got, _, err := s.read(s.Context(), key, 0, -1, ""); string(got) != "second" || err != nil {
					s.Errorf("after a refused copy: got %q, %v, want the second version", got, err)
				}
			}
			if err := d.Copy(s.Context(), driver.Object{Key: "none", Size: -1}, "copy"); !errors.Is(err, fs.ErrNotExist) {
				s.Errorf("no object: got %v, want %v", err, fs.ErrNotExist)
			}
		},
	},
	{
		name: "Tag",
		rule: "tags are added to one version, beside those of other names, and leave the version",
		run: func(s *store) {
			d, ok := s.Driver.(driver.Tagger)
			if !ok {
				s.Skip("the driver does not tag")
			}
			before := s.putObject("k", []byte("one"))
			want := map[string]string{"done": "yes", "by": "a job"}
			for _, tags := range []map[string]string{{"done": "no"}, {"by": "a job"}, {"done": "yes"}} {
				if err := d.Tag(s.Context(), "k", before.Version, tags); err != nil {
					s.Fatalf("%v: %v", tags, err)
				}
			}
			if got, err := d.Tags(s.Context(), "k"); err != nil || !maps.Equal(got, want) {
				s.Errorf("got the tags %v, %v, want %v", got, err, want)
			}
			now, err := s.Stat(s.Context(), "k")
			if err != nil || now.Version != before.Version || now.Size != before.Size {
				s.Errorf("got %+v, %v after the tags, want the version of %+v", now, err, before)
			}
			if s.put("k", []byte("second")); before.Version != "" {
				if err := d.Tag(s.Context(), "k", before.Version, want); !errors.Is(err, driver.ErrChanged) {
					s.Errorf("the version before: got %v, want %v", err, driver.ErrChanged)
				}
			}
			if err := d.Tag(s.Context(), "none", "", want); !errors.Is(err, fs.ErrNotExist) {
				s.Errorf("no object: got %v, want %v", err, fs.ErrNotExist)
			}
		},
	},
	{
		name: "Delete",
		rule: "a deleted object is gone; to delete what is not there is fs.ErrNotExist",
		run: func(s *store) {
			d, ok := s.Driver.(driver.Deleter)
			if !ok {
				s.Skip("the driver does not delete")
			}
			s.put("k", nil)
			if err := d.Delete(s.Context(), "k", ""); err != nil {
				s.Fatal(err)
			}
			if _, err := s.Stat(s.Context(), "k"); !errors.Is(err, fs.ErrNotExist) {
				s.Errorf("stat: got %v, want %v", err, fs.ErrNotExist)
			}
			if err := d.Delete(s.Context(), "k", ""); !errors.Is(err, fs.ErrNotExist) {
				s.Errorf("second delete: got %v, want %v", err, fs.ErrNotExist)
			}
		},
	},
}

// wantUnsupported expects a condition to be refused with nothing written.
func (s *store) wantUnsupported(cond driver.Condition) {
	s.Helper()
	if _, err := s.Put(s.Context(), "refused", bytes.NewReader(nil), 0, cond); !errors.Is(err, driver.ErrUnsupported) {
		s.Errorf("got %v, want %v", err, driver.ErrUnsupported)
	}
	if _, err := s.Stat(s.Context(), "refused"); !errors.Is(err, fs.ErrNotExist) {
		s.Errorf("a refused Put wrote: %v", err)
	}
}
