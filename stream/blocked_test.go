package stream_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/stream"
)

// A sink that does not return is reported after a minute, and again after two and four.
// One that is slow is not, however long it takes in all.
func TestSinkBlocked(t *testing.T) {
	for _, tt := range []struct {
		reason string
		each   time.Duration // of a Write
		parse  bool
		want   []string
	}{
		{"blocked", 5 * time.Minute, false, []string{"sink after 1m0s", "sink after 2m0s", "sink after 4m0s"}},
		{"blocked in a parse function", 90 * time.Second, true, []string{"parse after 1m0s"}},
		{"slow", 50 * time.Second, false, nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			var got []string
			wait := func(ctx context.Context, b *stream.Batch) error {
				time.Sleep(tt.each)
				return nil
			}
			sink := stream.SinkFunc(func(ctx context.Context, b *stream.Batch) error {
				if tt.parse {
					return b.Parse(ctx, func() error { return wait(ctx, b) })
				}
				return wait(ctx, b)
			})
			objects := map[string][]byte{"a": []byte("one\n")}
			if tt.reason == "slow" {
				for i := range 6 {
					objects[fmt.Sprint(i)] = []byte("more\n")
				}
			}
			_, err := stream.Backfill(t.Context(), store(t, objects).List(nil), sink, &stream.Options{Lanes: 1, Trace: &stream.Trace{
				SinkBlocked: func(e stream.SinkBlocked) {
					mu.Lock()
					defer mu.Unlock()
					got = append(got, fmt.Sprintf("%s after %v", e.Stage, e.Elapsed.Round(time.Second)))
				},
			}})
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("%s: got %v, %v, want %v", tt.reason, got, err, tt.want)
			}
		})
	}
}
