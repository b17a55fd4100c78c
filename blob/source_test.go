package blob_test

import (
	"fmt"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/memstore"
)

// Explicit keys come in the order given, a key as often as it is given, and go on
// behind a mark.
func TestKeys(t *testing.T) {
	t.Parallel()
	s := blob.New(memstore.New(), nil)
	src := blob.Keys(s, "b", "a", "b", "c")
	for _, c := range []struct {
		after blob.Mark
		want  string
	}{
		{blob.Mark{}, "[b a b c]"},
		{blob.Mark{Ordinal: 1, Key: "b"}, "[a b c]"},
		{blob.Mark{Ordinal: 3, Key: "b"}, "[c]"},
		{blob.Mark{Ordinal: -1, Key: "a"}, "[b c]"},
		{blob.Mark{Ordinal: 4, Key: "c"}, "[]"},
	} {
		var got []string
		for obj, err := range src.Objects(t.Context(), c.after) {
			if err != nil || obj.Size != -1 {
				t.Fatalf("got size %d, %v, want an unknown size", obj.Size, err)
			}
			got = append(got, obj.Key)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("after %+v: got %v, want %s", c.after, got, c.want)
		}
	}
	if a, b := blob.Keys(s, "ab", "c").Name, blob.Keys(s, "a", "bc").Name; a == b {
		t.Errorf("got %q for two lists, want two names", a)
	}
	if got, want := blob.Keys(s, "k").Name, "mem: k"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
