package stream_test

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/after"
)

// denied is an action that may not be done.
var denied = &stream.After{Do: func(context.Context, *blob.Store, blob.Object) error { return fs.ErrPermission }}

// What a run has listed out of order is read again by the next, so that it is not
// pending; what an earlier run has left pending stays so.
func TestAfterDisorder(t *testing.T) {
	t.Parallel()
	split := strings.Fields
	for _, tt := range []struct {
		every time.Duration
		slow  time.Duration // the Write of e
	}{{time.Nanosecond, 0}, {time.Hour, 0}, {time.Hour, 3 * time.Second}} { // flushed before or after the listing fails
		synctest.Test(t, func(t *testing.T) {
			d := &disorderly{Driver: memstore.New(), listings: [][]string{split("a b"), split("c e d f")}}
			s := blob.New(d, &blob.Options{Name: "s"})
			for _, key := range split("a b c d e f") {
				put(t, s, key, []byte("one\n"))
			}
			cp, records := &memCheckpoint{}, newCollector()
			opts := &stream.Options{Lanes: 1, Checkpoint: cp, CheckpointEvery: tt.every, After: denied}
			run := func(wantErr error, pending, left string) {
				t.Helper()
				src := s.List(nil)
				list := src.Objects
				src.Objects = func(ctx context.Context, after blob.Mark) iter.Seq2[blob.Object, error] {
					return func(yield func(blob.Object, error) bool) {
						for obj, err := range list(ctx, after) {
							if obj.Key == "d" || err != nil {
								time.Sleep(time.Second)
							}
							if !yield(obj, err) {
								return
							}
						}
					}
				}
				_, err := stream.Backfill(t.Context(), src, stream.SinkFunc(func(ctx context.Context, b *stream.Batch) error {
					if b.Object().Key == "e" {
						time.Sleep(tt.slow)
					}
					return records.write(ctx, b)
				}), opts)
				if !errors.Is(err, wantErr) {
					t.Errorf("got %v, want %v", err, wantErr)
				}
				m, err := stream.ParseManifest(cp.saves[len(cp.saves)-1])
				if err != nil {
					t.Fatal(err)
				}
				var keys []string
				for _, p := range m.Pending {
					keys = append(keys, p.Key)
				}
				if got := strings.Join(keys, " "); got != pending {
					t.Errorf("got %q pending, want %q", got, pending)
				}
				if got := strings.Join((&afterCase{t: t}).keys(blob.New(d.Driver, nil)), " "); got != left {
					t.Errorf("got %q left, want %q", got, left)
				}
			}
			run(nil, "a b", "a b c d e f")
			run(blob.ErrOrder, "a b", "a b c d e f")
			opts.After = after.Delete()
			run(nil, "", "")
			for _, key := range split("a b c d e f") {
				if len(records.records[key]) == 0 {
					t.Errorf("no record of %s was delivered", key)
				}
			}
		})
	}
}
