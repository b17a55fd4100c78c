package archive_test

import (
	"context"
	"errors"
	iofs "io/fs"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/archive"
)

// A plan counts by state and class and asks for nothing; a request asks for what
// is archived, once, and what it could not ask for is told.
func TestPlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := faultstore.New(&faultstore.Options{Thaw: 5 * time.Hour, Page: 3, Plan: func(c faultstore.Call) faultstore.Fault {
			if c.Op == faultstore.Restore && c.Key == "denied" {
				return faultstore.Fault{Kind: faultstore.Denied}
			}
			return faultstore.Fault{}
		}})
		large := faultstore.Repeated{Block: []byte("line\n"), Total: 1 << 20}
		for _, i := range []faultstore.Item{
			{Key: "online"}, {Key: "folder/"},
			{Key: "small", StorageClass: "GLACIER", Content: faultstore.Bytes("x"), Archived: true},
			{Key: "large", StorageClass: "GLACIER", Content: large, Archived: true},
			{Key: "deep", StorageClass: "DEEP_ARCHIVE", Content: large, Archived: true},
			{Key: "denied", StorageClass: "DEEP_ARCHIVE", Content: large, Archived: true},
			{Key: "tiered", StorageClass: "INTELLIGENT_TIERING", Content: large, Archived: true},
		} {
			fs.Add(i)
		}
		src := blob.New(fs, nil).List(nil)
		p, err := archive.NewPlan(t.Context(), src, &archive.Options{Tier: "Bulk"})
		if err != nil {
			t.Fatal(err)
		}
		if p.Online.Objects != 1 || p.Archived.Objects != 5 || p.Small.Objects != 1 || p.Archived.Size != 4<<20+1 || p.Readable() {
			t.Errorf("got %+v, want 1 online, 5 archived of 4 MiB and a byte, 1 small", p)
		}
		if len(p.Classes) != 3 || p.Classes[0].Class != "DEEP_ARCHIVE" || p.Classes[0].Tally.Objects != 2 || p.Classes[0].Wait != 48*time.Hour {
			t.Errorf("got classes %+v, want DEEP_ARCHIVE with 2 objects and 48 h first of three", p.Classes)
		}
		if n := len(fs.Restores()); n != 0 {
			t.Errorf("the plan asked for %d objects, want none", n)
		}
		if p, err = archive.Request(t.Context(), src, nil); err != nil {
			t.Fatal(err)
		}
		if p.Requested.Objects != 4 || p.Failed.Objects != 1 || len(p.Failures) != 1 || p.Failures[0].Class != stream.ClassDenied {
			t.Errorf("got %+v, want 4 requested, 1 denied", p)
		}
		if !strings.Contains(p.String(), `the first: "denied"`) {
			t.Errorf("got %s, want it to name the failed object", p)
		}
		if p, _ = archive.NewPlan(t.Context(), src, nil); p.Restoring.Objects != 4 || p.Archived.Objects != 1 {
			t.Errorf("got %+v, want 4 on their way", p)
		}
		time.Sleep(6 * time.Hour)
		if p, _ = archive.NewPlan(t.Context(), src, nil); p.Restored.Objects != 3 || p.Online.Objects != 2 || p.Archived.Objects != 1 {
			t.Errorf("got %+v, want 3 restored and the one of intelligent tiering online", p)
		}
	})
}

// A number below zero is refused before anything is listed.
func TestOptions(t *testing.T) {
	t.Parallel()
	fs := faultstore.New(nil)
	src := blob.New(fs, nil).List(nil)
	for name, call := range map[string]func(context.Context, blob.Source, *archive.Options) (*archive.Plan, error){
		"NewPlan": archive.NewPlan, "Request": archive.Request,
	} {
		p, err := call(t.Context(), src, &archive.Options{Days: -1})
		if !errors.Is(err, iofs.ErrInvalid) || p == nil || p.Classes == nil || fs.Counts().Calls[faultstore.List] != 0 {
			t.Errorf("%s: got %+v, %v, want an empty plan and %v", name, p, err, iofs.ErrInvalid)
		}
	}
}
