package s3store_test

import (
	"errors"
	"io"
	"io/fs"
	"testing"
	"time"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
)

func TestArchive(t *testing.T) {
	t.Parallel()
	store, d := serve(t, &faultstore.Options{Thaw: time.Hour})
	content := faultstore.Bytes([]byte("cold"))
	for _, i := range []faultstore.Item{
		{Key: "deep", StorageClass: faultstore.DeepArchive, Archived: true},
		{Key: "glacier", StorageClass: faultstore.Glacier, Archived: true},
		{Key: "instant", StorageClass: "GLACIER_IR"},
		{Key: "tiering", StorageClass: faultstore.IntelligentTiering, Archived: true},
		{Key: "warm"},
	} {
		i.Content = content
		store.Add(i)
	}
	listed := func() map[string]driver.ArchiveState {
		all := map[string]driver.ArchiveState{}
		for obj, err := range d.List(t.Context(), "", "") {
			if err != nil {
				t.Fatal(err)
			}
			all[obj.Key] = obj.Archive
		}
		return all
	}
	for _, c := range []struct {
		key                  string
		byList, byStat, then driver.ArchiveState
	}{
		{"deep", driver.ArchiveArchived, driver.ArchiveArchived, driver.ArchiveRestoring},
		{"glacier", driver.ArchiveArchived, driver.ArchiveArchived, driver.ArchiveRestoring},
		{"instant", driver.ArchiveOnline, driver.ArchiveOnline, driver.ArchiveOnline},
		{"tiering", driver.ArchiveOnline, driver.ArchiveArchived, driver.ArchiveRestoring},
		{"warm", driver.ArchiveOnline, driver.ArchiveOnline, driver.ArchiveOnline},
	} {
		if got := listed()[c.key]; got != c.byList {
			t.Errorf("%s: got %v by listing, want %v", c.key, got, c.byList)
		}
		obj, err := d.Stat(t.Context(), c.key)
		if err != nil || obj.Archive != c.byStat {
			t.Errorf("%s: got %v by stat, %v, want %v", c.key, obj.Archive, err, c.byStat)
		}
		r, err := d.ReadRange(t.Context(), c.key, 0, -1, "")
		if err == nil {
			io.Copy(io.Discard, r.Body)
			r.Body.Close()
		}
		if archived := c.byStat == driver.ArchiveArchived; archived != errors.Is(err, driver.ErrArchived) || !archived && err != nil {
			t.Errorf("%s: got %v of a read, want archived: %v", c.key, err, archived)
		}
		for range 2 { // the second request is no error
			if err := d.Restore(t.Context(), c.key, driver.RestoreRequest{Days: 3, Tier: "Bulk"}); err != nil {
				t.Errorf("%s: restore: %v", c.key, err)
			}
		}
		if obj, err = d.Stat(t.Context(), c.key); err != nil || obj.Archive != c.then {
			t.Errorf("%s: got %v after the request, %v, want %v", c.key, obj.Archive, err, c.then)
		}
	}
	for _, r := range store.Restores() {
		want := driver.RestoreRequest{Days: 3, Tier: "Bulk"}
		if r.Key == "tiering" {
			want.Days = 0
		}
		if r.Request != want {
			t.Errorf("%s: got request %+v, want %+v", r.Key, r.Request, want)
		}
	}
	if got := len(store.Restores()); got != 3 {
		t.Errorf("got %d restores, want 3", got)
	}
}

func TestRestored(t *testing.T) {
	t.Parallel()
	store, d := serve(t, nil)
	store.Add(faultstore.Item{Key: "k", StorageClass: faultstore.Glacier, Archived: true, Content: faultstore.Bytes([]byte("cold"))})
	if err := d.Restore(t.Context(), "k", driver.RestoreRequest{Days: 2}); err != nil {
		t.Fatal(err)
	}
	day := func(at time.Time) bool { left := time.Until(at); return 24*time.Hour < left && left < 72*time.Hour }
	obj, err := d.Stat(t.Context(), "k")
	if err != nil || obj.Archive != driver.ArchiveRestored || !day(obj.RestoredUntil) {
		t.Errorf("stat: got %v until %v, %v, want restored for two days", obj.Archive, obj.RestoredUntil, err)
	}
	for obj, err := range d.List(t.Context(), "", "") {
		if err != nil || obj.Archive != driver.ArchiveRestored || !day(obj.RestoredUntil) {
			t.Errorf("list: got %v until %v, %v, want restored for two days", obj.Archive, obj.RestoredUntil, err)
		}
	}
	r, err := d.ReadRange(t.Context(), "k", 0, -1, "")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if data, err := io.ReadAll(r.Body); string(data) != "cold" || err != nil {
		t.Errorf("got %q, %v, want the content", data, err)
	}
}

// A tier is spelled in any case; one that S3 does not have is refused without a request.
func TestRestoreTiers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tier, want string
	}{
		{"", "Standard"}, {"Bulk", "Bulk"}, {"bulk", "Bulk"}, {"EXPEDITED", "Expedited"}, {"Nope", ""}, {"Standard ", ""},
	} {
		store, d := serve(t, nil)
		store.Add(faultstore.Item{Key: "k", StorageClass: faultstore.Glacier, Archived: true})
		req := driver.RestoreRequest{Tier: c.tier}
		checked, err := d.CheckRestore(req), d.Restore(t.Context(), "k", req)
		if c.want == "" {
			if !errors.Is(checked, fs.ErrInvalid) || !errors.Is(err, fs.ErrInvalid) || store.Counts().Calls[faultstore.Stat] != 0 {
				t.Errorf("%q: got %v and %v after %d requests, want %v twice", c.tier, checked, err, store.Counts().Calls[faultstore.Stat], fs.ErrInvalid)
			}
			continue
		}
		if checked != nil || err != nil || len(store.Restores()) != 1 || store.Restores()[0].Request.Tier != c.want {
			t.Errorf("%q: got %v, %v and %+v, want tier %s", c.tier, checked, err, store.Restores(), c.want)
		}
	}
}
