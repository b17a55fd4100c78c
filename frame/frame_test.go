package frame_test

import (
	"testing"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/frame/frametest"
)

// lookup is a framer of the default registry.
func lookup(tb testing.TB, name string) frame.Framer {
	tb.Helper()
	f, err := frame.Default().Lookup(name)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// records are the bodies found in data at one go.
func bodies(tb testing.TB, f frame.Framer, data string) ([]string, error) {
	tb.Helper()
	records, err := frametest.Split(f, []byte(data), 0, 0)
	var got []string
	for _, r := range records {
		got = append(got, string(r.Data))
	}
	return got, err
}
