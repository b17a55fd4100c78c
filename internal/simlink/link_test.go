package simlink_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/internal/simlink"
)

// pass sends size bytes over a connection in pieces of at most piece.
func pass(t *testing.T, c *simlink.Conn, size, piece int) {
	t.Helper()
	for size > 0 {
		n := min(size, piece)
		if err := c.Pass(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		size -= n
	}
}

func TestTimeIsExact(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		perConn, total int64
		conns          int
		size, piece    int
		want           time.Duration
	}{
		{"no limit", 0, 0, 4, 1 << 20, 1000, 0},
		{"one connection", 1e6, 0, 1, 3_000_000, 64 << 10, 3 * time.Second},
		{"pieces do not matter", 1e4, 0, 1, 30_000, 7, 3 * time.Second},
		{"a rate that divides nothing", 3, 0, 1, 100, 1, 33333333333},
		{"each connection has its own rate", 1e6, 0, 8, 3_000_000, 64 << 10, 3 * time.Second},
		{"the total alone", 0, 1e6, 1, 3_000_000, 64 << 10, 3 * time.Second},
		{"the total is shared", 0, 1e6, 4, 3_000_000, 50_000, 12 * time.Second},
		{"the total binds below the sum of connections", 1e6, 2e6, 4, 3_000_000, 50_000, 6 * time.Second},
		{"connections bind below the total", 1e6, 8e6, 4, 3_000_000, 50_000, 3 * time.Second},
		{"rates beyond any machine", 1 << 62, 1 << 62, 1, 1 << 20, 1 << 20, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				l := simlink.New(c.perConn, c.total)
				var wg sync.WaitGroup
				for range c.conns {
					wg.Go(func() { pass(t, l.Conn(), c.size, c.piece) })
				}
				wg.Wait()
				if got := time.Since(start); got != c.want {
					t.Errorf("got %v, want %v", got, c.want)
				}
			})
		})
	}
}

// What a connection's user misses while away is there at once, up to the window:
// a late timer costs nothing, a pause costs what lies beyond.
func TestLateUser(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ away, want time.Duration }{
		{simlink.Window / 2, time.Second},
		{simlink.Window, time.Second},
		{time.Second, 2*time.Second - simlink.Window},
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			conn := simlink.New(1e6, 1e6).Conn()
			pass(t, conn, 500_000, 1000)
			time.Sleep(c.away)
			pass(t, conn, 500_000, 1000)
			if got := time.Since(start); got != c.want {
				t.Errorf("away %v: got %v, want %v", c.away, got, c.want)
			}
		})
	}
}

// A link that stood idle owes nobody anything.
func TestIdleLinkSavesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := simlink.New(0, 1e6)
		pass(t, l.Conn(), 1000, 1000)
		time.Sleep(time.Hour)
		start := time.Now()
		pass(t, l.Conn(), 1_000_000, 1000)
		if got := time.Since(start); got != time.Second {
			t.Errorf("got %v, want 1s", got)
		}
	})
}

func TestContextEndsTheWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		conn := simlink.New(1, 0).Conn()
		if err := conn.Pass(ctx, 1000); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
		}
		if got := time.Since(start); got != time.Second {
			t.Errorf("got %v, want 1s", got)
		}
		if err := conn.Pass(ctx, 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after its end: got %v, want %v", err, context.DeadlineExceeded)
		}
	})
}

func TestStep(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		perConn, total int64
		want           int
	}{
		{0, 0, 256 << 10}, {85e6, 1e9, 170_000}, {0, 1e6, 2000}, {1e6, 1e5, 200}, {10, 0, 1}, {10e9, 0, 256 << 10},
	} {
		if got := simlink.New(c.perConn, c.total).Conn().Step(); got != c.want {
			t.Errorf("%d and %d bytes a second: got %d, want %d", c.perConn, c.total, got, c.want)
		}
	}
}
