package stream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/stream"
)

// stateStores are the kinds of stores that a manifest can lie in.
var stateStores = map[string]func(t *testing.T) *blob.Store{
	"memory": func(t *testing.T) *blob.Store { return blob.New(memstore.New(), nil) },
	"memory without versions": func(t *testing.T) *blob.Store {
		return blob.New(&hooked{Driver: memstore.New(), traits: absence}, nil)
	},
	"memory without deletion": func(t *testing.T) *blob.Store { return blob.New(keeping{memstore.New()}, nil) },
	"memory with tags": func(t *testing.T) *blob.Store {
		return blob.New(tagged{&hooked{Driver: memstore.New(), traits: versions}}, nil)
	},
	"under a prefix": func(t *testing.T) *blob.Store {
		return blob.New(memstore.New(), &blob.Options{Prefix: "state/"})
	},
	"files": func(t *testing.T) *blob.Store {
		return folderStore(t, t.TempDir())
	},
}

func eachStateStore(t *testing.T, f func(t *testing.T, store *blob.Store)) {
	t.Parallel()
	for name, open := range stateStores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, open(t))
		})
	}
}

func keysOf(t *testing.T, store *blob.Store) (keys []string) {
	t.Helper()
	for obj, err := range store.List(nil).Objects(t.Context(), blob.Mark{}) {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, obj.Key)
	}
	return keys
}

func putText(t *testing.T, store *blob.Store, key, text string) {
	t.Helper()
	if _, err := store.Put(t.Context(), key, strings.NewReader(text), int64(len(text)), nil); err != nil {
		t.Fatal(err)
	}
}

func textOf(t *testing.T, store *blob.Store, key string) []byte {
	t.Helper()
	r, err := store.NewReader(t.Context(), key, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestBlobCheckpointKeeps(t *testing.T) {
	eachStateStore(t, func(t *testing.T, store *blob.Store) {
		const key = "jobs/m.json"
		putText(t, store, key+".lock", "not a number")
		putText(t, store, key+".000000007.bak", "not a number alone")
		c := stream.BlobCheckpoint(store, key)
		for n := range 3 {
			if got := mustLoad(t, c); got != 10*n {
				t.Errorf("run %d: loaded %d, want %d", n, got, 10*n)
			}
			mustSave(t, c, 10*n+5)
			mustSave(t, c, 10*n+10)
			mustClose(t, c)
		}
		keys := keysOf(t, store)
		last := key
		if !store.Traits().PutVersion {
			last += ".000000009" // 3 claims and 6 saves
		}
		if got := ordinalOf(t, textOf(t, store, last)); got != 30 {
			t.Errorf("object %s, read as JSON, tells %d, want 30", last, got)
		}
		want := []string{key, key + ".000000007.bak", key + ".lock"}
		if !store.Traits().PutVersion {
			want = []string{key + ".000000000", key + ".000000007.bak", key + ".000000008", key + ".000000009", key + ".lock"}
		}
		if strings.Contains(t.Name(), "without_deletion") {
			want = nil
			for i := range 10 {
				want = append(want, fmt.Sprintf("%s.%09d", key, i))
			}
			want = slices.Insert(want, 8, key+".000000007.bak")
			want = append(want, key+".lock")
		}
		if !slices.Equal(keys, want) {
			t.Errorf("objects %q, want %q", keys, want)
		}
	})
}

// TestBlobCheckpointTakeOver lets a newer run only load.
func TestBlobCheckpointTakeOver(t *testing.T) {
	eachStateStore(t, func(t *testing.T, store *blob.Store) {
		for _, saves := range []int{0, 1, 5} { // of the older run before, and of the newer after
			key := fmt.Sprint("m", saves)
			older, newer := stream.BlobCheckpoint(store, key), stream.BlobCheckpoint(store, key)
			mustLoad(t, older)
			for n := range saves {
				mustSave(t, older, n+1)
			}
			if got := mustLoad(t, newer); got != saves {
				t.Errorf("newer run loaded %d, want %d", got, saves)
			}
			for n := range saves {
				mustSave(t, newer, n+101)
			}
			for range 2 {
				err := older.Save(t.Context(), manifestOf(99, ""))
				if !errors.Is(err, stream.ErrOwner) || keyIn(err) != key {
					t.Errorf("Save of the older run: got %v, want ErrOwner that names the key", err)
				}
			}
			mustSave(t, newer, 200)
			mustClose(t, older)
			if got := mustLoad(t, older); got != 200 {
				t.Errorf("loaded %d, want 200", got)
			}
			mustSave(t, older, 300)
			if err := newer.Save(t.Context(), manifestOf(99, "")); !errors.Is(err, stream.ErrOwner) {
				t.Errorf("Save of the run taken over: got %v, want ErrOwner", err)
			}
			mustClose(t, older)
			mustClose(t, newer)
		}
	})
}

func TestBlobCheckpointUse(t *testing.T) {
	eachStateStore(t, func(t *testing.T, store *blob.Store) {
		c := stream.BlobCheckpoint(store, "m")
		if err := c.Save(t.Context(), nil); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("Save before Load: got %v, want fs.ErrClosed", err)
		}
		mustLoad(t, c)
		if _, err := c.Load(t.Context()); !errors.Is(err, stream.ErrOwner) {
			t.Errorf("second Load of one value: got %v, want ErrOwner", err)
		}
		mustClose(t, c)
		mustSave(t, c, 1)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := c.Save(ended, manifestOf(2, "")); !errors.Is(err, context.Canceled) {
			t.Errorf("Save with an ended context: got %v, want context.Canceled", err)
		}
		mustSave(t, c, 3)
		mustClose(t, c)
		if err := c.Save(t.Context(), nil); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("Save after Close: got %v, want fs.ErrClosed", err)
		}
	})
}

// TestBlobCheckpointLeavesOthersAlone gives the key of something else.
func TestBlobCheckpointLeavesOthersAlone(t *testing.T) {
	eachStateStore(t, func(t *testing.T, store *blob.Store) {
		cases := []struct{ name, text string }{
			{"data", "some,data\n1,2\n"},
			{"empty", ""},
			{"newer", `{"format":4}`},
			{"cut", string(manifestOf(1, ""))[:100]},
		}
		for _, tc := range cases {
			key := tc.name
			if !store.Traits().PutVersion {
				putText(t, store, tc.name+".000000001", tc.text)
				key += ".000000002"
			}
			putText(t, store, key, tc.text)
			before := keysOf(t, store)
			c := stream.BlobCheckpoint(store, tc.name)
			if _, err := c.Load(t.Context()); err == nil || errors.Is(err, stream.ErrOwner) || keyIn(err) != key {
				t.Errorf("%s: Load gave %v, want an error that names the object", tc.name, err)
			}
			mustClose(t, c)
			if got := textOf(t, store, key); string(got) != tc.text {
				t.Errorf("%s: object is now %q, want %q", tc.name, got, tc.text)
			}
			if after := keysOf(t, store); !slices.Equal(before, after) {
				t.Errorf("%s: objects %q, want %q", tc.name, after, before)
			}
		}
	})
}

func TestBlobCheckpointDeleted(t *testing.T) {
	t.Parallel()
	store := blob.New(memstore.New(), nil)
	c := stream.BlobCheckpoint(store, "m")
	mustLoad(t, c)
	mustSave(t, c, 1)
	if err := store.Delete(t.Context(), "m", nil); err != nil {
		t.Fatal(err)
	}
	if err := c.Save(t.Context(), manifestOf(2, "")); !errors.Is(err, stream.ErrOwner) {
		t.Errorf("got %v, want ErrOwner", err)
	}
	mustClose(t, c)
}

func TestBlobCheckpointUnsupported(t *testing.T) {
	t.Parallel()
	store := blob.New(&hooked{Driver: memstore.New()}, nil)
	c := stream.BlobCheckpoint(store, "m")
	_, err := c.Load(t.Context())
	if !errors.Is(err, blob.ErrUnsupported) || stream.ClassOf(err) != stream.ClassUnsupported || keyIn(err) != "m" {
		t.Errorf("got %v, want ErrUnsupported of the object", err)
	}
	mustClose(t, c)
}

// TestBlobCheckpointAtOnce lets several runs load, and then save, at once on
// real stores.
func TestBlobCheckpointAtOnce(t *testing.T) {
	eachStateStore(t, func(t *testing.T, store *blob.Store) {
		if strings.Contains(t.Name(), "tags") {
			t.Skip("its conditions are not atomic")
		}
		const runs = 4
		for round := range 5 {
			all := make([]stream.Checkpoint, runs)
			errs := make([]error, runs)
			var wg sync.WaitGroup
			for i := range all {
				all[i] = stream.BlobCheckpoint(store, "m")
				wg.Go(func() { _, errs[i] = all[i].Load(context.Background()) })
			}
			wg.Wait()
			if err := errors.Join(errs...); err != nil {
				t.Fatal(err)
			}
			for i, c := range all {
				wg.Go(func() { errs[i] = c.Save(context.Background(), manifestOf(10*round+i+1, "")) })
			}
			wg.Wait()
			won := 0
			for i, err := range errs {
				if err == nil {
					won = 10*round + i + 1
				} else if !errors.Is(err, stream.ErrOwner) {
					t.Errorf("Save: got %v, want ErrOwner", err)
				}
				mustClose(t, all[i])
			}
			failed := slices.DeleteFunc(slices.Clone(errs), func(err error) bool { return err == nil })
			if len(failed) != runs-1 {
				t.Errorf("%d of %d saves failed, want all but one", len(failed), runs)
			}
			if got := mustLoad(t, all[0]); got != won {
				t.Errorf("loaded %d, want %d of the one that succeeded", got, won)
			}
			mustClose(t, all[0])
		}
	})
}

// keyIn is the key that an error of a store names.
func keyIn(err error) string {
	if e, ok := errors.AsType[*blob.Error](err); ok {
		return e.Key
	}
	return ""
}
