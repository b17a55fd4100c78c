package cli

import (
	"errors"
	"fmt"
	"iter"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/thaw-go/thaw/blob"
)

// waiting is what a program waits for: the first answer of what it has opened, and
// the next attempt where one failed for a moment.
type waiting struct {
	mu    sync.Mutex
	what  string // has not answered yet; empty: it has, or nothing was opened
	since time.Time

	fault blob.Retrying // the last
	began time.Time     // of the faults in a row; zero: there was none
	next  time.Time     // when it is asked again

	shown time.Time // the progress line was written
	noted time.Time // a note about a wait was written
}

const (
	silence   = 5 * time.Second  // without an answer that is worth a note
	trouble   = 2 * time.Second  // of faults that is worth a note
	lull      = 5 * time.Second  // after an attempt in which a fault counts as healed
	noteEvery = 30 * time.Second // of waiting
)

// Watch shows what the program waits for while a store does not answer or a request
// is tried again: in the progress line, or where there is none in a note now and then.
// stop ends that and takes the line and temporary files away.
func (c *Console) Watch() (stop func()) {
	if c.quiet {
		return c.end
	}
	over := make(chan struct{})
	var ticks sync.WaitGroup
	ticks.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				c.tick(time.Now())
			case <-over:
				return
			}
		}
	})
	return func() {
		close(over)
		ticks.Wait()
		c.end()
	}
}

// asked notes that something was opened, which has not answered.
func (c *Console) asked(what string) {
	c.wait.mu.Lock()
	defer c.wait.mu.Unlock()
	c.wait.what, c.wait.since = shownArgument(what), time.Now()
}

// answered notes the first answer.
func (c *Console) answered() {
	c.wait.mu.Lock()
	defer c.wait.mu.Unlock()
	c.wait.what, c.wait.began = "", time.Time{}
}

// untilAnswered passes objects on and notes the first of them, or their error.
func (c *Console) untilAnswered(objects iter.Seq2[blob.Object, error]) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		defer c.answered()
		first := true
		for obj, err := range objects {
			if first {
				first = false
				c.answered()
			}
			if !yield(obj, err) {
				return
			}
		}
	}
}

// retrying is called for each fault that is healed.
func (c *Console) retrying(r blob.Retrying) {
	now := time.Now()
	w := &c.wait
	w.mu.Lock()
	if w.began.IsZero() || w.healed(now) {
		w.began = now
	}
	w.fault, w.next = r, now.Add(r.Wait)
	worth := w.next.Sub(w.began) >= trouble && w.mayNote(now)
	if worth && !c.live() {
		w.noted = now
	}
	text := w.text(c, now)
	opening := w.what != ""
	w.mu.Unlock()
	switch {
	case c.live() && opening:
		c.write(c.fit(text))
	case worth && !c.live():
		c.Note("%s", text)
	}
}

// tick shows what is waited for.
func (c *Console) tick(now time.Time) {
	w := &c.wait
	w.mu.Lock()
	text := ""
	switch {
	case c.live():
		if w.what != "" && now.Sub(w.since) >= time.Second || w.troubled(now) && now.Sub(w.shown) > time.Second {
			text = w.text(c, now)
		}
	case w.what != "" && now.Sub(w.since) >= silence && w.mayNote(now):
		text = w.text(c, now)
		w.noted = now
	}
	w.mu.Unlock()
	switch {
	case text == "":
	case c.live():
		c.write(c.fit(text))
	default:
		c.Note("%s", text)
	}
}

func (w *waiting) mayNote(now time.Time) bool {
	return w.noted.IsZero() || now.Sub(w.noted) >= noteEvery
}

// healed guesses that the last attempt succeeded: nothing was heard of it.
func (w *waiting) healed(now time.Time) bool { return w.what == "" && now.Sub(w.next) > lull }

func (w *waiting) troubled(now time.Time) bool { return !w.began.IsZero() && !w.healed(now) }

// text describes the last fault, or that there is no answer yet.
func (w *waiting) text(c *Console, now time.Time) string {
	if !w.troubled(now) {
		return fmt.Sprintf("%s: no answer for %d s", w.what, int(now.Sub(w.since).Seconds()))
	}
	what := w.what
	switch {
	case what != "":
	case w.fault.Key == "":
		what = w.fault.Store
	default:
		what = c.place.Name(w.fault.Key)
	}
	when := "is under way"
	if left := w.next.Sub(now); left > 0 {
		when = fmt.Sprintf("in %.1f s", left.Seconds())
	}
	return fmt.Sprintf("%s: attempt %d %s: %s", what, w.fault.Attempt+1, when, brief(w.fault.Err))
}

// brief is what a network says of a fault, without the words around it.
func brief(err error) string {
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		return e.Error()
	}
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Addr != nil {
		cause := e.Err
		if call, ok := errors.AsType[*os.SyscallError](cause); ok {
			cause = call.Err
		}
		return fmt.Sprintf("%v: %v", e.Addr, cause)
	}
	return err.Error()
}

// shownArgument is an argument without the parts of a URL that may hold credentials.
func shownArgument(what string) string {
	if !strings.Contains(what, "://") {
		return Key(what)
	}
	u, err := url.Parse(what)
	if err != nil {
		return "the store"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
