package azurestore_test

import (
	"errors"
	"io/fs"
	"net/http"
	"testing"

	"github.com/thaw-go/thaw/blob/driver"
)

func TestRestore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tier, status string // of the object
		ask          string
		refusal      string
		want         string // tier and priority asked for; empty: none
	}{
		{"Archive", "", "", "", "Hot Standard"},
		{"Archive", "", "High", "", "Hot High"},
		{"Archive", "", "high/cool", "", "Cool High"},
		{"Archive", "", "/Cold", "", "Cold Standard"},
		{"Archive", "", "", "BlobBeingRehydrated", "Hot Standard"},
		{"Archive", "rehydrate-pending-to-hot", "", "", ""},
		{"Cool", "", "High", "", ""},
	} {
		var asked string
		_, d := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodHead {
				w.Header().Set("x-ms-access-tier", c.tier)
				if c.status != "" {
					w.Header().Set("x-ms-archive-status", c.status)
				}
				return
			}
			asked = r.Header.Get("x-ms-access-tier") + " " + r.Header.Get("x-ms-rehydrate-priority")
			if c.refusal != "" {
				refuse(w, http.StatusConflict, c.refusal)
				return
			}
			w.WriteHeader(http.StatusAccepted)
		})
		if err := d.Restore(t.Context(), "k", driver.RestoreRequest{Days: 3, Tier: c.ask}); err != nil || asked != c.want {
			t.Errorf("%s %s, asked for %q: got %q, %v, want %q", c.tier, c.status, c.ask, asked, err, c.want)
		}
	}
}

func TestRestoreOfAnotherTier(t *testing.T) {
	t.Parallel()
	s, d := serve(t, func(w http.ResponseWriter, r *http.Request) {})
	for _, tier := range []string{"Expedited", "High/Archive", "Cool"} {
		if err := d.Restore(t.Context(), "k", driver.RestoreRequest{Tier: tier}); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%s: got %v, want %v", tier, err, fs.ErrInvalid)
		}
	}
	if n := len(s.Seen()); n != 0 {
		t.Errorf("got %d requests, want none", n)
	}
}
