package blob_test

import (
	"errors"
	"io/fs"
	"maps"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/filestore"
	"github.com/thaw-go/thaw/blob/memstore"
)

// Tags belong to one object under the Store's prefix; what no object can have is refused
// without a request.
func TestTag(t *testing.T) {
	t.Parallel()
	d := memstore.New()
	mem := blob.New(d, &blob.Options{Prefix: "p/"})
	version, err := mem.Put(t.Context(), "k", strings.NewReader("data"), 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filestore.New(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	tags := map[string]string{"done": "yes"}
	for _, tt := range []struct {
		reason  string
		store   *blob.Store
		key     string
		version string
		tags    map[string]string
		err     error
		always  bool // CheckTag refuses it, too
	}{
		{"the version that is there", mem, "k", version, tags, nil, false},
		{"any version", mem, "k", "", map[string]string{"more": ""}, nil, false},
		{"another version", mem, "k", "x", tags, blob.ErrChanged, false},
		{"no object", mem, "none", "", tags, fs.ErrNotExist, false},
		{"no tags", mem, "k", "", nil, fs.ErrInvalid, true},
		{"no name", mem, "k", "", map[string]string{"": "yes"}, fs.ErrInvalid, true},
		{"no key", blob.New(d, nil), "", "", tags, fs.ErrInvalid, false},
		{"a store without tags", blob.New(files, nil), "k", "", tags, blob.ErrUnsupported, true},
	} {
		if err := tt.store.Tag(t.Context(), tt.key, tt.tags, &blob.TagOptions{IfVersion: tt.version}); !errors.Is(err, tt.err) {
			t.Errorf("%s: got %v, want %v", tt.reason, err, tt.err)
		}
		if err := tt.store.CheckTag(tt.tags); (err != nil) != tt.always || tt.always && !errors.Is(err, tt.err) {
			t.Errorf("%s: CheckTag: got %v", tt.reason, err)
		}
	}
	got, err := blob.New(d, nil).Tags(t.Context(), "p/k")
	if want := map[string]string{"done": "yes", "more": ""}; err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if _, err := mem.Tags(t.Context(), "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the tags of no object: got %v, want fs.ErrNotExist", err)
	}
	if _, err := blob.New(files, nil).Tags(t.Context(), "k"); !errors.Is(err, blob.ErrUnsupported) {
		t.Errorf("the tags of a file: got %v, want ErrUnsupported", err)
	}
}
