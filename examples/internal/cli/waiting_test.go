package cli_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/examples/internal/cli"
)

func init() {
	driver.Register("dead", func(_ context.Context, u *url.URL) (*driver.Opened, error) {
		return &driver.Opened{Driver: deadStore{u.Host}, Key: strings.TrimPrefix(u.Path, "/")}, nil
	})
}

// deadStore is a store on which nothing listens; "silent" one that takes a request
// and says nothing; "slow" one that answers after 4 s, and lists nothing; "empty" one
// that holds nothing.
type deadStore struct{ how string }

func (d deadStore) ask(ctx context.Context) error {
	switch d.how {
	case "silent":
		<-ctx.Done()
		return ctx.Err()
	case "empty":
		return fs.ErrNotExist
	case "slow":
		time.Sleep(4 * time.Second)
		return nil
	}
	refused := &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	return fmt.Errorf("%w: %w", driver.ErrTransient, refused)
}

func (d deadStore) Stat(ctx context.Context, key string) (driver.Object, error) {
	return driver.Object{Key: key}, d.ask(ctx)
}

func (d deadStore) List(ctx context.Context, _, _ string) iter.Seq2[driver.Object, error] {
	return func(yield func(driver.Object, error) bool) {
		if err := d.ask(ctx); err != nil {
			yield(driver.Object{}, err)
		}
	}
}

func (d deadStore) ReadRange(ctx context.Context, _ string, _, _ int64, _ string) (driver.Range, error) {
	return driver.Range{}, d.ask(ctx)
}

func (d deadStore) Put(ctx context.Context, _ string, _ io.Reader, _ int64, _ driver.Condition) (string, error) {
	return "", d.ask(ctx)
}

// screen is a writer that may be looked at while it is written to.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// use opens a source and lists it, as programs do.
func use(ctx context.Context, c *cli.Console, what string) error {
	src, err := cli.Open(ctx, what, c)
	if err != nil {
		return err
	}
	defer src.Store.Close()
	for _, err := range src.Objects(ctx, blob.Mark{}) {
		if err != nil {
			return err
		}
	}
	return nil
}

// Where no progress line can be, a note says that there is no answer, or what went
// wrong, after some seconds and not too often. A line shows it at once.
func TestWaiting(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		what        string
		note        string // the first
		least, most int    // notes
		line        string // on a terminal
	}{
		{"dead://refused/k?secret=x", "test: dead://refused/k: attempt ", 0, 1, "dead://refused/k: attempt 2 in 0."},
		{"dead://refused/d/", "127.0.0.1:1: connection refused\n", 0, 1, "127.0.0.1:1: connection refused"},
		{"dead://silent/k", "test: dead://silent/k: no answer for 5 s\n", 3, 11, "dead://silent/k: no answer for 2 s"},
		{"dead://silent/k", "test: dead://silent/k: no answer for 5 s\n", 3, 11, "attempt 2 is under way: nothing came for 15s"},
		{"dead://slow/d/", "", 0, 0, "dead://slow/d/: no answer for 3 s"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var out screen
			c := cli.NewConsole("test", &out, false)
			stop := c.Watch()
			err := use(t.Context(), c, tt.what)
			stop()
			if (err != nil) != (tt.note != "") || err != nil && !errors.Is(err, blob.ErrTransient) {
				t.Errorf("%s: got %v", tt.what, err)
			}
			notes := out.String()
			if n := strings.Count(notes, "\n"); n < tt.least || n > tt.most || n > 0 && !strings.Contains(notes, tt.note) {
				t.Errorf("%s: got %d notes, want %d to %d and %q in them:\n%s", tt.what, n, tt.least, tt.most, tt.note, notes)
			}
		})
		synctest.Test(t, func(t *testing.T) {
			var out screen
			c := cli.NewTerminal("test", &out, nil)
			stop := c.Watch()
			use(t.Context(), c, tt.what)
			stop()
			shown := out.String()
			if !strings.Contains(shown, tt.line) || strings.Contains(shown, "\n") || !strings.HasSuffix(shown, "\r\x1b[K") {
				t.Errorf("%s: got %q on a terminal, want %q in one line that is taken away", tt.what, shown, tt.line)
			}
			if strings.Contains(shown, "secret") {
				t.Errorf("%s: got a part of its query: %q", tt.what, shown)
			}
		})
	}
}

// Quiet programs say nothing while they wait, and who reads a terminal sees no line
// among what is written to it.
func TestWaitingQuietly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var quiet, still screen
		c := cli.NewConsole("test", &quiet, true)
		stop := c.Watch()
		use(t.Context(), c, "dead://silent/k")
		stop()
		if quiet.String() != "" {
			t.Errorf("got %q, want nothing", quiet.String())
		}
		c = cli.NewTerminal("test", &still, nil)
		c.Still()
		stop = c.Watch()
		use(t.Context(), c, "dead://silent/k")
		stop()
		if lines := strings.Count(still.String(), "\n"); lines < 3 || strings.Count(still.String(), "\r") != lines {
			t.Errorf("got %q, want notes alone", still.String())
		}
	})
}

// A fault in the middle of a job is told beside its progress, and no longer when it
// has healed.
func TestFaultBesideProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out screen
		c := cli.NewTerminal("test", &out, nil)
		stop := c.Watch()
		defer stop()
		store := blob.New(deadStore{"refused"}, &blob.Options{Name: "dead://b/", Retry: &blob.Retry{MaxAttempts: 2}, OnRetry: c.Retrying})
		c.Progress("half")
		store.Stat(t.Context(), "k")
		c.Progress("more")
		time.Sleep(time.Minute)
		c.Progress("most")
		for _, want := range []string{"\x1b[Khalf\r", "\x1b[Kmore · k: attempt 2 ", "\x1b[Kmost"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("got %q, want %q in it", out.String(), want)
			}
		}
		if strings.HasSuffix(out.String(), "refused") {
			t.Errorf("got %q, want no fault at the end", out.String())
		}
	})
}
