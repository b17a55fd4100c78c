package blob_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	_ "github.com/thaw-go/thaw/blob/filestore"
	"github.com/thaw-go/thaw/blob/memstore"
)

// tree writes files into a new folder.
func tree(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// keys lists a source.
func keys(t *testing.T, src blob.Source) []string {
	t.Helper()
	var got []string
	for obj, err := range src.Objects(t.Context(), blob.Mark{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, obj.Key)
	}
	return got
}

func TestOpenSourceOfFiles(t *testing.T) {
	t.Parallel()
	dir := tree(t, "a.gz", "b.txt", "odd[1]?.gz", "sub/a.gz", "sub/deep/c.gz", "x#y%20z")
	base := "file://" + dir
	for _, c := range []struct {
		arg    string
		opts   *blob.ListOptions
		want   string // keys
		name   string // of the source, behind the file URL of dir
		reason string
	}{
		{arg: dir, want: "a.gz b.txt odd[1]?.gz sub/a.gz sub/deep/c.gz x#y%20z", name: "/", reason: "a path is a folder"},
		{arg: dir + "/", want: "a.gz b.txt odd[1]?.gz sub/a.gz sub/deep/c.gz x#y%20z", name: "/"},
		{arg: base, want: "a.gz b.txt odd[1]?.gz sub/a.gz sub/deep/c.gz x#y%20z", name: "/"},
		{arg: base + "/sub/", want: "a.gz deep/c.gz", name: "/sub/"},
		{arg: base + "/a.gz", want: "a.gz", name: "/ a.gz", reason: "one object"},
		{arg: dir + "/sub/deep/c.gz", want: "c.gz", name: "/sub/deep/ c.gz"},
		{arg: dir + "/odd[1]?.gz", want: "odd[1]?.gz", name: "/ odd[1]?.gz", reason: "what exists is no glob"},
		{arg: dir + "/x#y%20z", want: "x#y%20z", name: "/ x#y%20z", reason: "a path is not unescaped"},
		{arg: base + "/x%23y%2520z", want: "x#y%20z", name: "/ x#y%20z", reason: "a URL is"},
		{arg: base + "/*.gz", want: "a.gz odd[1]?.gz", name: `/ glob "*.gz"`},
		{arg: dir + "/**/*.gz", want: "a.gz odd[1]?.gz sub/a.gz sub/deep/c.gz", name: `/ glob "**/*.gz"`, reason: "** is none too"},
		{arg: dir + "/sub/**", want: "a.gz deep/c.gz", name: `/sub/ glob "**"`},
		{arg: dir + "/{a,b}.*", want: "a.gz b.txt", name: `/ glob "{a,b}.*"`},
		{arg: dir + "/[!a].txt", want: "b.txt", name: `/ glob "[!a].txt"`},
		{arg: dir + "/odd\\[*", want: "odd[1]?.gz", name: `/ glob "odd\\[*"`},
		{arg: base + "/*.none", want: "", name: `/ glob "*.none"`, reason: "a glob may match nothing"},
		{arg: dir, opts: &blob.ListOptions{Glob: "sub/*.gz", After: "b"}, want: "sub/a.gz", name: `/ glob "sub/*.gz" after "b"`},
		{arg: dir, opts: &blob.ListOptions{Prefix: "sub/d"}, want: "sub/deep/c.gz", name: `/ prefix "sub/d"`},
	} {
		src, err := blob.OpenSource(t.Context(), c.arg, listOptions(c.opts))
		if err != nil {
			t.Errorf("%s (%s): %v", c.arg, c.reason, err)
			continue
		}
		if got := strings.Join(keys(t, src), " "); got != c.want {
			t.Errorf("%s (%s): got %q, want %q", c.arg, c.reason, got, c.want)
		}
		if want := base + c.name; src.Name != want {
			t.Errorf("%s: got name %q, want %q", c.arg, src.Name, want)
		}
		for obj, err := range src.Objects(t.Context(), blob.Mark{}) {
			r, err2 := src.Store.NewReader(t.Context(), obj.Key, nil)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			r.Close()
		}
	}
}

func TestOpenSourceOfRelativePath(t *testing.T) {
	t.Chdir(tree(t, "sub/a", "sub/b"))
	for arg, want := range map[string]string{
		"sub":      "[a b]",
		"./sub/":   "[a b]",
		"sub/a":    "[a]",
		"sub/*":    "[a b]",
		"*/b":      "[sub/b]",
		".":        "[sub/a sub/b]",
		"../*/sub": "[]",
	} {
		src, err := blob.OpenSource(t.Context(), arg, nil)
		if err != nil {
			t.Errorf("%s: %v", arg, err)
			continue
		}
		if got := fmt.Sprint(keys(t, src)); got != want {
			t.Errorf("%s: got %s, want %s", arg, got, want)
		}
	}
}

func TestOpenSourceErrors(t *testing.T) {
	t.Parallel()
	dir := tree(t, "a.gz")
	for _, c := range []struct {
		arg  string
		opts *blob.ListOptions
		is   error // nil: any
		says string
	}{
		{arg: dir + "/nope.gz", is: fs.ErrNotExist, says: "nope.gz"},
		{arg: "file://" + dir + "/nope/", is: fs.ErrNotExist, says: "/nope/"},
		{arg: dir + "/nope/*.gz", is: fs.ErrNotExist, says: "/nope/*.gz"},
		{arg: dir + "/nope/a", is: fs.ErrNotExist, says: "/nope/a"},
		{arg: dir + "/a.gz/", says: "is a file, not a folder"},
		{arg: dir + "/a.gz/b", is: fs.ErrNotExist, says: "/a.gz/b"},
		{arg: dir + "/[", says: "malformed glob"},
		{arg: "file://" + dir + "/a?.gz", says: "%3F"},
		{arg: "file://" + dir + "/a#.gz", says: "%23"},
		{arg: "file://" + dir + "/100%", says: "%25"},
		{arg: "file://host/a", says: "file:///path"},
		{arg: "", says: "empty"},
		{arg: "mem:/nope", is: fs.ErrNotExist, says: "mem:"},
		{arg: dir + "/a.gz", opts: &blob.ListOptions{Glob: "*"}, says: "takes no list options"},
		{arg: dir + "/*", opts: &blob.ListOptions{Glob: "*"}, says: "two globs"},
		{arg: dir, opts: &blob.ListOptions{Glob: "{"}, says: "malformed glob"},
	} {
		_, err := blob.OpenSource(t.Context(), c.arg, listOptions(c.opts))
		if err == nil || !strings.Contains(err.Error(), c.says) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: got %v, want an error that says %q and is %v", c.arg, err, c.says, c.is)
		}
		if _, ok := errors.AsType[*blob.Error](err); !ok {
			t.Errorf("%s: got %T, want *blob.Error", c.arg, err)
		}
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	dir := tree(t, "a", "sub/b")
	for _, c := range []struct{ url, want, name string }{
		{"file://" + dir, "[a sub/b]", "file://" + dir + "/"},
		{"file://" + dir + "/sub", "[b]", "file://" + dir + "/sub/"},
		{"file://" + dir + "?prefix=su", "[b/b]", "file://" + dir + "/?prefix=su"},
		{"FILE://" + dir + "?prefix=sub/", "[b]", "file://" + dir + "/?prefix=sub/"},
		{"file://" + dir + "/made/here?create=true", "[]", "file://" + dir + "/made/here/"},
		{"mem:", "[]", "mem:"},
		{"mem://", "[]", "mem:"},
	} {
		s, err := blob.Open(t.Context(), c.url, nil)
		if err != nil {
			t.Errorf("%s: %v", c.url, err)
			continue
		}
		if got := fmt.Sprint(keys(t, s.List(nil))); got != c.want {
			t.Errorf("%s: got %s, want %s", c.url, got, c.want)
		}
		if s.Name() != c.name {
			t.Errorf("%s: got name %s, want %s", c.url, s.Name(), c.name)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	for url, says := range map[string]string{
		"file://" + dir + "/a":        "is a file, not a folder",
		"file://" + dir + "/nope":     "no such file or folder",
		dir:                           dir + ": not a URL: write file://" + dir + "/, or use OpenSource",
		dir + "/":                     "write file://" + dir + "/, or",
		"":                            `open "": empty URL`,
		"me:pw@/host":                 "open me://xxxxx: not a URL: scheme:// is missing",
		"/me@host":                    "open xxxxx: not a URL: scheme:// is missing",
		"AccountKey=0123456789":       "open xxxxx: not a URL",
		"file://" + dir + "?other=1":  `unknown parameter "other"`,
		"s3://bucket":                 `import _ "github.com/thaw-go/thaw/blob/s3store"`,
		"gs://bucket":                 `scheme "gs" is not registered: import _ "github.com/thaw-go/thaw/blob/gcsstore"`,
		"azblob://container":          `import _ "github.com/thaw-go/thaw/blob/azurestore"`,
		"gopher://bucket":             `unknown scheme "gopher" (known are `,
		"s3://b?prefix=a&prefix=b":    "s3store",
		"file:///tmp?prefix=a&prefix": "given twice",
	} {
		_, err := blob.Open(t.Context(), url, nil)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v, want an error that says %q", url, err, says)
		}
	}
	for url, is := range map[string]error{
		dir: fs.ErrInvalid, "": fs.ErrInvalid, "file:///%zz": fs.ErrInvalid, "file:///a#b": fs.ErrInvalid,
		"s3://bucket": blob.ErrUnsupported, "gopher://bucket": blob.ErrUnsupported,
	} {
		if _, err := blob.Open(t.Context(), url, nil); !errors.Is(err, is) {
			t.Errorf("%s: got %v, want an error that is %v", url, err, is)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := blob.Open(ctx, "mem:", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// A credential in a URL is in no message, no name and no driver's error.
func TestRedaction(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	driver.Register("redact", func(_ context.Context, u *url.URL) (*driver.Opened, error) {
		if u.Host == "fails" {
			return nil, fmt.Errorf("GET %s: %w", u, fs.ErrPermission)
		}
		return &driver.Opened{Driver: memstore.New(), Key: strings.TrimPrefix(u.Path, "/")}, nil
	})
	for _, raw := range []string{
		"redact://user:hunter2@bucket/a/",
		"redact://hunter2@bucket/a/",
		"redact://user:hunter2@fails/a",
		"redact://bucket/a/?access_key=hunter2",
		"redact://bucket/a/?X-Amz-Signature=hunter2&region=x",
		"redact://bucket/a/?sig=hunter2",
		"redact://bucket/a/?%73ig=hunter2",
		"redact://fails/a?SharedAccessSignature=hunter2",
		"redact://fails/?AWSAccessKeyId=hunter2&session_token=hunter2",
		"redact://bucket/?endpoint=https://me:hunter2@example.com",
		"redact://bucket/?sig=hunter2%",
		"redact://user:hunter2/@bucket/a",
		"redact://user:hunter2?@bucket/a",
		"redact://user:hunter2#@bucket/a",
		"redact://user:hunter2%zz@bucket/a",
		"redact://user:hunter2 @bucket/%zz",
		"redact://user:hunter2@bucket/%zz",
		"redact://[::1:hunter2@bucket/",
		"nowhere://user:hunter2@bucket/a",
		"s3://user:hunter2@bucket/a?token=hunter2",
		"s3://bucket?token=hunter2#hunter2",
	} {
		var texts []string
		store, err := blob.Open(t.Context(), raw, nil)
		if err != nil {
			texts = append(texts, err.Error())
		} else {
			texts = append(texts, store.Name(), store.List(nil).Name)
			_, err := store.Stat(t.Context(), "k")
			texts = append(texts, err.Error())
		}
		src, err := blob.OpenSource(t.Context(), raw, nil)
		if err != nil {
			texts = append(texts, err.Error())
		} else {
			texts = append(texts, src.Name, src.Store.Name())
		}
		for _, text := range texts {
			if strings.Contains(text, secret) {
				t.Errorf("%s: got %q, want it without %s", raw, text, secret)
			}
		}
	}
	_, err := blob.Open(t.Context(), "redact://user:hunter2@fails/a", nil)
	if !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v, want it to be %v still", err, fs.ErrPermission)
	}
	a, _ := blob.Open(t.Context(), "redact://bucket/?sig=one", nil)
	b, _ := blob.Open(t.Context(), "redact://bucket/?sig=another", nil)
	if a.Name() != b.Name() {
		t.Errorf("got names %q and %q, want a new token to leave the name", a.Name(), b.Name())
	}
}

// Services without folders take a key without slash for an object first, then for
// a folder, never for a prefix.
func TestOpenSourceOfBucket(t *testing.T) {
	t.Parallel()
	mem := memstore.New()
	all := blob.New(mem, nil)
	for _, key := range []string{"2026", "logs/a.gz", "logs/b.gz", "logs-old/c.gz", "other/d.gz"} {
		put(t, all, key, []byte("x"))
	}
	driver.Register("bucket", func(_ context.Context, u *url.URL) (*driver.Opened, error) {
		return &driver.Opened{Driver: mem, Key: strings.TrimPrefix(u.Path, "/")}, nil
	})
	for _, c := range []struct{ url, want, name string }{
		{"bucket://b", "[2026 logs-old/c.gz logs/a.gz logs/b.gz other/d.gz]", "bucket://b"},
		{"bucket://b/", "[2026 logs-old/c.gz logs/a.gz logs/b.gz other/d.gz]", "bucket://b"},
		{"bucket://b/2026", "[2026]", "bucket://b 2026"},
		{"bucket://b/logs", "[a.gz b.gz]", "bucket://b/logs/"},
		{"bucket://b/logs/", "[a.gz b.gz]", "bucket://b/logs/"},
		{"bucket://b/logs/a.gz", "[a.gz]", "bucket://b/logs/ a.gz"},
		{"bucket://b/logs/b*", "[b.gz]", `bucket://b/logs/ glob "b*"`},
		{"bucket://b/logs*/**", "[logs-old/c.gz logs/a.gz logs/b.gz]", `bucket://b glob "logs*/**"`},
		{"bucket://b?prefix=logs", "[-old/c.gz /a.gz /b.gz]", "bucket://b?prefix=logs"},
		{"bucket://b/none/", "[]", "bucket://b/none/"},
	} {
		src, err := blob.OpenSource(t.Context(), c.url, nil)
		if err != nil {
			t.Errorf("%s: %v", c.url, err)
			continue
		}
		if got := fmt.Sprint(keys(t, src)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.url, got, c.want)
		}
		if src.Name != c.name {
			t.Errorf("%s: got name %s, want %s", c.url, src.Name, c.name)
		}
	}
	for _, url := range []string{"bucket://b/log", "bucket://b/logs/c"} {
		if _, err := blob.OpenSource(t.Context(), url, nil); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), url) {
			t.Errorf("%s: got %v, want %v with the URL", url, err, fs.ErrNotExist)
		}
	}
}

func TestRegisterPanics(t *testing.T) {
	t.Parallel()
	open := func(context.Context, *url.URL) (*driver.Opened, error) { return nil, nil }
	for _, scheme := range []string{"file", "", "x", "Upper", "a b", "1a"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Register(%q) did not panic", scheme)
				}
			}()
			driver.Register(scheme, open)
		}()
	}
}

func TestSharesOfAListing(t *testing.T) {
	t.Parallel()
	s := blob.New(memstore.New(), nil)
	var want []string
	for i := range 100 {
		key := fmt.Sprintf("k%03d", i)
		put(t, s, key, nil)
		want = append(want, key)
	}
	var got []string
	for i := range 3 {
		got = append(got, keys(t, blob.Shard(s.List(nil), i, 3))...)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want every key once", got)
	}
}

// listOptions are options of a Source; nil for nil.
func listOptions(o *blob.ListOptions) *blob.SourceOptions {
	if o == nil {
		return nil
	}
	return &blob.SourceOptions{List: *o}
}
