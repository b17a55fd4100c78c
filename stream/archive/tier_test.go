package archive_test

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/archive"
)

// tiers is a driver that knows one tier.
type tiers struct{ driver.Driver }

func (tiers) CheckRestore(req driver.RestoreRequest) error {
	if req.Tier != "" && req.Tier != "Bulk" {
		return fs.ErrInvalid
	}
	return nil
}

// A tier that the service does not have is refused when it is given, before anything
// is asked of the service.
func TestUnknownTier(t *testing.T) {
	t.Parallel()
	for tier, want := range map[string]error{"": nil, "Bulk": nil, "Nope": fs.ErrInvalid} {
		s := faultstore.New(nil)
		src := blob.New(tiers{s}, nil).List(nil)
		_, plan := archive.NewPlan(t.Context(), src, &archive.Options{Tier: tier})
		_, request := archive.Request(t.Context(), src, &archive.Options{Tier: tier})
		_, job := stream.Backfill(t.Context(), src, stream.Discard, &stream.Options{Restore: &stream.RestoreOptions{Tier: tier}})
		for call, err := range map[string]error{"plan": plan, "request": request, "job": job} {
			if !errors.Is(err, want) {
				t.Errorf("%q: %s: got %v, want %v", tier, call, err, want)
			}
		}
		if n := s.Counts().Calls[faultstore.List]; (n == 0) != (want != nil) {
			t.Errorf("%q: got %d listings", tier, n)
		}
	}
}
