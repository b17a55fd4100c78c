package archive_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
	"github.com/thaw-go/thaw/stream/archive"
)

// A plan tells what is restored, also of a service whose listings do not; where they do
// it costs no look-up, and where nothing was restored a bounded number of them.
func TestPlanOfSilentListings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		silent  bool
		objects int
		ask     bool
		looks   int // of the plan after it
		restored,
		restoring int64
	}{
		{"silent, on their way", true, 250, true, 250, 0, 250},
		{"telling, on their way", false, 250, true, 0, 0, 250},
		{"silent, nothing asked for", true, 2500, false, 102, 0, 0},
		{"telling, nothing asked for", false, 2500, false, 102, 0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := faultstore.New(&faultstore.Options{Thaw: time.Hour, SilentListings: c.silent})
			for i := range c.objects {
				s.Add(faultstore.Item{Key: fmt.Sprintf("k%04d", i), StorageClass: faultstore.Glacier, Content: faultstore.Bytes("x"), Archived: true})
			}
			src := blob.New(s, nil).List(nil)
			if c.ask {
				if p, err := archive.Request(t.Context(), src, nil); err != nil || p.Requested.Objects != int64(c.objects) {
					t.Fatalf("%s: got %+v, %v, want all requested", c.name, p, err)
				}
			}
			before := s.Counts().Calls[faultstore.Stat]
			p, err := archive.NewPlan(t.Context(), src, nil)
			if err != nil || p.Restoring.Objects != c.restoring || p.Restored.Objects != c.restored {
				t.Errorf("%s: got %+v, %v, want %d on their way", c.name, p, err, c.restoring)
			}
			if looks := s.Counts().Calls[faultstore.Stat] - before; looks != c.looks {
				t.Errorf("%s: got %d look-ups, want %d", c.name, looks, c.looks)
			}
			time.Sleep(2 * time.Hour)
			if p, err = archive.NewPlan(t.Context(), src, nil); err != nil || p.Readable() != c.ask {
				t.Errorf("%s: when they are there: got %+v, %v, want readable: %t", c.name, p, err, c.ask)
			}
		})
	}
}
