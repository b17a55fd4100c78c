package archive_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
	"github.com/thaw-go/thaw/stream/archive"
)

// The wait is that of class and tier, as the service documents it, or not known.
func TestWait(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		class, tier string
		want        time.Duration
	}{
		{"GLACIER", "", 5 * time.Hour},
		{"GLACIER", "Standard", 5 * time.Hour},
		{"GLACIER", "EXPEDITED", 5 * time.Minute},
		{"GLACIER", "bulk", 12 * time.Hour},
		{"GLACIER", "Nope", 0},
		{"DEEP_ARCHIVE", "", 12 * time.Hour},
		{"DEEP_ARCHIVE", "Expedited", 0}, // there is none
		{"INTELLIGENT_TIERING", "Bulk", 48 * time.Hour},
		{"Archive", "", 15 * time.Hour},
		{"Archive", "High", time.Hour},
		{"Archive", "High/Cool", time.Hour},
		{"Archive", "/Cool", 15 * time.Hour},
		{"ICE", "", 0},
	} {
		fs := faultstore.New(nil)
		fs.Add(faultstore.Item{Key: "a", StorageClass: tt.class, Content: faultstore.Bytes("x"), Archived: true})
		p, err := archive.NewPlan(t.Context(), blob.New(fs, nil).List(nil), &archive.Options{Tier: tt.tier})
		if err != nil || len(p.Classes) != 1 || p.Classes[0].Wait != tt.want {
			t.Errorf("%s, %q: got %+v, %v; want %v", tt.class, tt.tier, p.Classes, err, tt.want)
		}
	}
}

// OnObject sees each object once, with the state that the plan counts it under.
func TestOnObject(t *testing.T) {
	t.Parallel()
	for name, plan := range map[string]func(context.Context, blob.Source, *archive.Options) (*archive.Plan, error){
		"plan": archive.NewPlan, "request": archive.Request,
	} {
		fs := faultstore.New(nil)
		fs.Add(faultstore.Item{Key: "online", Content: faultstore.Bytes("x")})
		for _, key := range []string{"a", "b", "c"} {
			fs.Add(faultstore.Item{Key: key, StorageClass: "GLACIER", Content: faultstore.Bytes("x"), Archived: true})
		}
		var got []string
		src := blob.Keys(blob.New(fs, nil), "online", "a", "b", "gone", "c") // looked up, several at once
		p, err := plan(t.Context(), src, &archive.Options{OnObject: func(obj blob.Object) {
			got = append(got, obj.Key+" "+obj.Archive.String())
		}})
		slices.Sort(got)
		if want := []string{"a archived", "b archived", "c archived", "online online"}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v; want %q", name, got, err, want)
		}
		if p.Failed.Objects != 1 || p.Archived.Objects != 3 || p.Online.Objects != 1 {
			t.Errorf("%s: got %+v", name, p)
		}
	}
}
