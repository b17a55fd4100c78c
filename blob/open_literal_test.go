package blob_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/memstore"
)

// bucket is a service without folders that counts what it is asked.
type bucket struct {
	*memstore.Driver
	lists, stats atomic.Int32
}

func (b *bucket) Traits() driver.Traits { return driver.Traits{} }

func (b *bucket) List(ctx context.Context, prefix, after string) iter.Seq2[driver.Object, error] {
	b.lists.Add(1)
	return b.Driver.List(ctx, prefix, after)
}

func (b *bucket) Stat(ctx context.Context, key string) (driver.Object, error) {
	b.stats.Add(1)
	return b.Driver.Stat(ctx, key)
}

// newBucket registers a scheme for a bucket of objects that hold their own keys.
func newBucket(t *testing.T, scheme string, keys ...string) *bucket {
	t.Helper()
	b := &bucket{Driver: memstore.New()}
	all := blob.New(b, nil)
	for _, key := range keys {
		data := []byte(key)
		if strings.HasSuffix(key, "/") || strings.HasSuffix(key, "_$folder$") {
			data = nil // the marker of a folder
		}
		put(t, all, key, data)
	}
	driver.Register(scheme, func(_ context.Context, u *url.URL) (*driver.Opened, error) {
		return &driver.Opened{Driver: b, Key: strings.TrimPrefix(u.Path, "/")}, nil
	})
	return b
}

// What is there by its literal name is never taken for a glob, on a store that has to
// be asked, whichever character of globs it holds.
func TestLiteralNamesComeBeforeGlobs(t *testing.T) {
	t.Parallel()
	newBucket(t, "literal",
		"x1.log", "x[1].log", "x?.log", "x*.log", "xa.log", "x{a,b}.log", "x[^a].log", "x[a-z].log", `x\1.log`,
		"d1/f", "d[1]/f", "d[1]/g", "d*/f", "d**/f", "d{1,2}/f", `d\1/f`, "d?/x[1]", "d?/x1", "**/f", "**/[",
		"n[1]-", "n[1]/f", "n1/f", "m[1]/", "m1/f",
	)
	for _, c := range []struct{ key, want, reason string }{
		{"x[1].log", "x[1].log", "an object with a class"},
		{"x?.log", "x?.log", "with a question mark"},
		{"x*.log", "x*.log", "with a star"},
		{"x{a,b}.log", "x{a,b}.log", "with alternatives"},
		{"x[^a].log", "x[^a].log", "with a negated class"},
		{`x\1.log`, `x\1.log`, "with a backslash"},
		{"x[a-c].log", "xa.log", "no object has this name: a glob"},
		{`x\[1\].log`, "x[1].log", "a glob that means one name"},
		{`x\*.log`, "x*.log", ""},
		{"d[1]", "d[1]/f d[1]/g", "a folder"},
		{"d[1]/", "d[1]/f d[1]/g", "a folder with its slash"},
		{"d*", "d*/f", ""},
		{"d**/", "d**/f", ""},
		{`d\1`, `d\1/f`, ""},
		{"d{1,2}/f", "d{1,2}/f", "an object in such a folder"},
		{"d[1]/*", "d[1]/f d[1]/g", "a glob below such a folder"},
		{"d[1]/[g-z]", "d[1]/g", ""},
		{"d?/x[1]", "d?/x[1]", "at both levels"},
		{"d?/x[1-2]", "d?/x1", "the folder is literal, the name is not"},
		{"d[1-9]/f", "d1/f", "neither is"},
		{"**/f", "**/f", "even two stars"},
		{"**/[", "**/[", "what is no valid glob"},
		{"n[1]", "n[1]/f", "something else sorts before the folder"},
		{"n[1]/f", "n[1]/f", ""},
		{"m[1]", "", "an empty folder with its marker"},
		{"m[1]/", "", ""},
	} {
		src, err := blob.OpenSource(t.Context(), (&url.URL{Scheme: "literal", Host: "b", Path: "/" + c.key}).String(), nil)
		if err != nil {
			t.Errorf("%s (%s): %v", c.key, c.reason, err)
			continue
		}
		var got []string
		for _, key := range keys(t, src) {
			r, err := src.Store.NewReader(t.Context(), key, nil)
			if err != nil {
				t.Errorf("%s (%s): %v", c.key, c.reason, err)
				continue
			}
			data := make([]byte, 100)
			n, _ := r.Read(data)
			got = append(got, string(data[:n]))
			r.Close()
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s (%s): got %q, want %q", c.key, c.reason, s, c.want)
		}
	}
	for _, key := range []string{"d[1]/none", "x[1].log/f", "d?/x[1]/"} {
		src, err := blob.OpenSource(t.Context(), (&url.URL{Scheme: "literal", Host: "b", Path: "/" + key}).String(), nil)
		if err == nil {
			if got := keys(t, src); len(got) > 0 {
				t.Errorf("%s: got %q, want nothing", key, got)
			}
		} else if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v, want %v", key, err, fs.ErrNotExist)
		}
	}
}

// A look at what a name is costs few requests.
func TestRequestsOfAnOpening(t *testing.T) {
	t.Parallel()
	b := newBucket(t, "counted", "logs/2026/a.gz", "logs/2026/b.gz", "logs/[x]/a.gz")
	for _, c := range []struct {
		key          string
		lists, stats int32
		reason       string
	}{
		{"logs/2026/a.gz", 0, 1, "an object is looked up"},
		{"logs/2026/", 0, 0, "a folder is believed"},
		{"logs/2026", 1, 1, "an object first, then a folder"},
		{"logs/2026/*.gz", 1, 0, "a glob in the last element: is there such a key?"},
		{"logs/*/*.gz", 2, 0, "and is there such a folder?"},
		{"logs/**/x/*/*/*.gz", 2, 0, "no folder below one that is not there"},
		{"logs/[x]/*.gz", 2, 0, ""},
		{"logs/[x]/a.gz", 1, 0, ""},
	} {
		b.lists.Store(0)
		b.stats.Store(0)
		if _, err := blob.OpenSource(t.Context(), "counted://b/"+c.key, nil); err != nil {
			t.Errorf("%s: %v", c.key, err)
		}
		if lists, stats := b.lists.Load(), b.stats.Load(); lists != c.lists || stats != c.stats {
			t.Errorf("%s (%s): got %d listings and %d look-ups, want %d and %d", c.key, c.reason, lists, stats, c.lists, c.stats)
		}
	}
}

// The markers of folders name folders, however they are spelled, and are known in
// listings.
func TestFolderMarkers(t *testing.T) {
	t.Parallel()
	b := newBucket(t, "marked", "a/", "a/f", "b_$folder$", "b/f", "empty/", "empty2_$folder$", "deep/", "deep/er/", "deep/er/f", "real/", "notes_$folder$.txt")
	if _, err := b.Put(t.Context(), "real/", strings.NewReader("data"), 4, driver.Condition{}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ key, want, reason string }{
		{"", "(a/) a/f b/f (b_$folder$) (deep/) (deep/er/) deep/er/f (empty/) (empty2_$folder$) notes_$folder$.txt real/", "what holds data is an object whatever its name"},
		{"a", "f", ""},
		{"a/", "f", ""},
		{"b", "f", ""},
		{"deep", "(er/) er/f", ""},
		{"empty", "", "a folder that is there and empty"},
		{"empty/", "", ""},
	} {
		src, err := blob.OpenSource(t.Context(), "marked://b/"+c.key, nil)
		if err != nil {
			t.Errorf("%q (%s): %v", c.key, c.reason, err)
			continue
		}
		var got []string
		for obj, err := range src.Objects(t.Context(), blob.Mark{}) {
			if err != nil {
				t.Fatal(err)
			}
			if obj.IsFolder() {
				obj.Key = "(" + obj.Key + ")"
			}
			got = append(got, obj.Key)
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%q (%s): got %q, want %q", c.key, c.reason, got, c.want)
		}
	}
	for _, c := range []struct {
		obj  blob.Object
		want bool
	}{
		{blob.Object{Key: "d", ContentType: "application/x-directory"}, true},
		{blob.Object{Key: "d", ContentType: "httpd/unix-directory"}, true},
		{blob.Object{Key: "d", ContentType: "application/x-directory", Size: 1}, false},
		{blob.Object{Key: "d/"}, true},
		{blob.Object{Key: "d/", Size: 1}, false},
		{blob.Object{Key: "d/", Size: -1}, false},
		{blob.Object{Key: "d"}, false},
	} {
		if got := c.obj.IsFolder(); got != c.want {
			t.Errorf("%+v: got %t, want %t", c.obj, got, c.want)
		}
	}
}

// awkward are keys that URLs, globs and file systems give a meaning to.
var awkward = []string{
	"100%", "a%20b", "a%2Fb", "%", "%41", "what?", "no#1", "a b", " lead", "trail ", "a+b", "a&b=c", "semi;colon", "a:b", "@", "~",
	"x[1]", "x{a,b}", "x*", "**", `back\slash`, `\*`, "a//b", "//a", "a/./b", "a/../b", ".", "..", "tab\there", "line\nfeed", "cr\r",
	"\xff", "a\xfe/b", "caf\u00e9", "\u65e5\u672c", "\x01", "\x7f", "a/b#c?d", "'q'", `"q"`, "<x>", "a,b", "=",
}

// A key of any bytes survives a URL, alone and as a folder, and the store that is
// opened names itself by a URL that opens the same again.
func TestKeysInURLs(t *testing.T) {
	t.Parallel()
	var all []string
	for _, key := range awkward {
		all = append(all, key, "in/"+key+"/inner")
	}
	newBucket(t, "round", all...)
	for _, key := range awkward {
		u := &url.URL{Scheme: "round", Host: "b", Path: "/" + key}
		src, err := blob.OpenSource(t.Context(), u.String(), nil)
		if err != nil {
			t.Errorf("%q: %v", key, err)
			continue
		}
		var read []string
		for _, k := range keys(t, src) {
			obj, err := src.Store.Stat(t.Context(), k)
			if err != nil || obj.Size != int64(len(key)) {
				t.Errorf("%q: got %d bytes, %v, want %d", key, obj.Size, err, len(key))
			}
			read = append(read, k)
		}
		if len(read) != 1 || !strings.HasSuffix(key, read[0]) {
			t.Errorf("%q: got %q, want it alone", key, read)
		}
		u.Path = "/in/" + key + "/"
		src, err = blob.OpenSource(t.Context(), u.String(), nil)
		if err != nil {
			t.Errorf("%q: %v", key, err)
			continue
		}
		if got := keys(t, src); !slices.Contains(got, "inner") {
			t.Errorf("folder %q: got %q, want the inner key", key, got)
		}
		again, err := blob.Open(t.Context(), src.Store.Name(), nil)
		if err != nil {
			t.Errorf("folder %q: name %s: %v", key, src.Store.Name(), err)
			continue
		}
		if got, want := fmt.Sprint(keys(t, again.List(nil))), fmt.Sprint(keys(t, src)); got != want || again.Name() != src.Store.Name() {
			t.Errorf("folder %q: opened by its name %s: got %s of %s, want %s", key, src.Store.Name(), got, again.Name(), want)
		}
	}
}
