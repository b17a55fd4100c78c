package stream_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/stream"
)

// disorderly lists the keys of its first listings in given orders, and those of later
// ones as it should.
type disorderly struct {
	*memstore.Driver
	listings [][]string
}

func (d *disorderly) List(ctx context.Context, prefix, after string) iter.Seq2[driver.Object, error] {
	if len(d.listings) == 0 {
		return d.Driver.List(ctx, prefix, after)
	}
	keys := d.listings[0]
	d.listings = d.listings[1:]
	return func(yield func(driver.Object, error) bool) {
		for _, key := range keys {
			obj, err := d.Stat(ctx, key)
			if !yield(obj, err) || err != nil {
				return
			}
		}
	}
}

// A listing that is out of order ends the job, and the next run finds what was left
// out, wherever the gap was.
func TestDisorderLosesNothing(t *testing.T) {
	t.Parallel()
	split := func(s string) []string { return strings.Fields(s) }
	for _, tt := range []struct {
		reason   string
		opts     *blob.ListOptions
		shard    bool
		stopAt   int        // batch of the first run at which the sink stops; 0: none
		listings [][]string // those of the first runs
		key      string     // of the error of the last of them
		done     int64      // objects done by the manifest after it; -1: any
	}{
		{"two neighbours are swapped", nil, false, 0, [][]string{split("a c b d e f")}, "b", 0},
		{"one comes last", nil, false, 0, [][]string{split("a c d e f b")}, "b", 0},
		{"a second gap before the first that is seen", nil, false, 0, [][]string{split("a c e d b f")}, "d", 0},
		{"the first comes late", nil, false, 0, [][]string{split("b c d e f a")}, "a", 0},
		{"a key twice: nothing was passed over", nil, false, 0, [][]string{split("a b c c d e f")}, "c", -1},
		{"the listing begins again", nil, false, 0, [][]string{split("a b c a b c")}, "a", 0},
		{"under a prefix", &blob.ListOptions{Prefix: "x/"}, false, 0, [][]string{split("x/a x/c x/b")}, "x/b", 0},
		{"beside a glob", &blob.ListOptions{Glob: "[a-f]"}, false, 0, [][]string{split("a c b d e f")}, "b", 0},
		{"behind what the glob takes: it is listed again anyway", &blob.ListOptions{Glob: "[a-c]"}, false, 0, [][]string{split("a b c x/b x/a")}, "x/a", -1},
		{"in every shard", nil, true, 0, [][]string{split("a c b d e f")}, "b", 0},
		{"what a run before listed stays", nil, false, 3, [][]string{split("a b"), split("c e d f")}, "d", 2},
		{"a key that a run before has passed over", nil, false, 3, [][]string{split("a c"), split("b d e f")}, "b", 2},
	} {
		d := &disorderly{Driver: memstore.New(), listings: tt.listings}
		s := blob.New(d, &blob.Options{Name: "s"})
		all := split("a b c d e f x/a x/b x/c")
		for _, key := range all {
			put(t, s, key, []byte("one\n"))
		}
		src := s.List(tt.opts)
		if tt.shard {
			src = blob.Shard(src, 0, 1)
		}
		want := map[string]bool{}
		for obj := range blob.New(d.Driver, nil).List(tt.opts).Objects(t.Context(), blob.Mark{}) {
			want[obj.Key] = true
		}
		cp, c := &memCheckpoint{}, newCollector()
		run := func(stopAt int) (*stream.Report, error) {
			n := 0
			return stream.Backfill(t.Context(), src, stream.SinkFunc(func(ctx context.Context, b *stream.Batch) error {
				if n++; n == stopAt {
					return stream.Stop
				}
				return c.write(ctx, b)
			}), &stream.Options{Lanes: 1, Checkpoint: cp})
		}
		var rep *stream.Report
		var err error
		for range tt.listings {
			if rep, err = run(tt.stopAt); err == nil && rep.Counts.Listed.Objects == 0 {
				t.Errorf("%s: nothing was listed", tt.reason)
			}
		}
		var e *stream.Error
		if !errors.Is(err, blob.ErrOrder) || !errors.As(err, &e) || e.Key != tt.key || e.Class != stream.ClassUnsupported || rep.Complete() {
			t.Errorf("%s: got %v, complete %v; want blob.ErrOrder of %q, class unsupported, false", tt.reason, err, rep.Complete(), tt.key)
		}
		m, err := stream.ParseManifest(cp.saves[len(cp.saves)-1])
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Counts.Done.Objects; got != tt.done && tt.done >= 0 || rep.Earlier.Done.Objects+rep.Counts.Done.Objects != got {
			t.Errorf("%s: got %d objects done by the manifest and %d+%d by the report, want %d", tt.reason, got,
				rep.Earlier.Done.Objects, rep.Counts.Done.Objects, tt.done)
		}
		d.listings = nil
		if rep, err = run(0); err != nil || !rep.Complete() {
			t.Errorf("%s: got %v, complete %v of the run after, want nil, true", tt.reason, err, rep.Complete())
		}
		for key := range want {
			if c.last[key] == 0 {
				t.Errorf("%s: %q was never read", tt.reason, key)
			}
		}
	}
}
