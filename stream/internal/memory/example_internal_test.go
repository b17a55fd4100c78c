package memory

import (
	"testing"
	"testing/synctest"
)

// The example of the package's documentation, line by line.
func TestExample(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const mib = 1 << 20
		budget := New(Options{Total: 22 * mib, Floor: mib})
		lanes := budget.TryEnter(3, Terms{Limit: 10 * mib})
		outside := func() bool { return false }
		a, b, c := lanes[0].Account(outside), lanes[1].Account(outside), lanes[2].Account(outside)
		type row struct{ a, aLater, b, bLater, c, cLater, free int64 }
		check := func(what string, want row) {
			t.Helper()
			synctest.Wait()
			got := row{a.held, a.guaranteed, b.held, b.guaranteed, c.held, c.guaranteed, budget.free()}
			if c.optimistic || c.held == 0 {
				got.cLater = 0
			}
			for _, n := range []*int64{&got.a, &got.aLater, &got.b, &got.bLater, &got.c, &got.cLater, &got.free} {
				*n /= mib
			}
			if got != want {
				t.Errorf("%s: got %v, want %v", what, got, want)
			}
		}
		if !a.TryOpen(Reservation{Bytes: 4 * mib, Later: 6 * mib}) {
			t.Fatal("A was refused")
		}
		check("A opens", row{4, 6, 0, 0, 0, 0, 15})
		if !b.TryOpen(Reservation{Bytes: 6 * mib, Later: 4 * mib}) {
			t.Fatal("B was refused")
		}
		check("B opens", row{4, 6, 6, 4, 0, 0, 9})
		r := Reservation{Bytes: 6 * mib, Later: 2 * mib, Headroom: 2 * mib}
		if c.TryOpen(r) {
			t.Fatal("C got a guarantee")
		}
		r.Optimistic = true
		if !c.TryOpen(r) || !c.Optimistic() {
			t.Fatal("C was refused")
		}
		check("C opens", row{4, 6, 6, 4, 6, 0, 3})
		if !b.TryExtend(2*mib, 0) {
			t.Fatal("B was refused 2")
		}
		check("B takes 2", row{4, 6, 8, 2, 6, 0, 1})
		got := make(chan error, 2)
		go func() { got <- b.Extend(t.Context(), 2*mib, 0) }()
		check("B waits", row{4, 6, 8, 2, 6, 0, 1})
		if c.TryExtend(mib, 0) {
			t.Fatal("C took what B waits for")
		}
		c.Release(6 * mib)
		check("C releases", row{4, 6, 10, 0, 0, 0, 5})
		go func() { got <- c.Open(t.Context(), Reservation{Bytes: 7 * mib, Later: 3 * mib}) }()
		check("C waits", row{4, 6, 10, 0, 0, 0, 5})
		b.Close()
		check("B ends", row{4, 6, 0, 0, 7, 3, 8})
		if err := <-got; err != nil {
			t.Error(err)
		}
		if err := <-got; err != nil {
			t.Error(err)
		}
	})
}
