package stream_test

import (
	"errors"
	"testing"

	"github.com/thaw-go/thaw/stream"
)

// A manifest says what was delivered to one output. For another it says nothing.
func TestOtherOutput(t *testing.T) {
	t.Parallel()
	s := store(t, map[string][]byte{"a": []byte("one\n")})
	cp := &memCheckpoint{}
	for _, tc := range []struct {
		output string
		want   error
	}{{"null", nil}, {"null", nil}, {"dir:out", stream.ErrOtherJob}, {"", stream.ErrOtherJob}} {
		_, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, &stream.Options{Checkpoint: cp, Output: tc.output})
		if !errors.Is(err, tc.want) {
			t.Errorf("%q: got %v, want %v", tc.output, err, tc.want)
		}
	}
}
