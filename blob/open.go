package blob

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/internal/badurl"
)

// Open opens the store that a URL names: a bucket, a container, a folder. A path
// within a bucket narrows it to a folder, and the query parameter "prefix" to the keys
// that begin with it, byte for byte; keys of the Store are without both.
//
//	file:///var/log/
//	s3://logs/2026/?region=eu-west-1
//	s3://logs/?region=eu-west-1&prefix=2026-11
//
// The adaptors' packages document their parameters. Nil opts means the defaults. ctx
// bounds the opening alone. The caller closes the Store.
//
// The error is [ErrUnsupported] if no imported package has registered the scheme,
// fs.ErrInvalid if rawURL is no URL or makes no sense, and fs.ErrNotExist if a folder of
// files does not exist. A bucket is not looked up: that it does not exist is an error
// of the first call.
func Open(ctx context.Context, rawURL string, opts *OpenOptions) (*Store, error) {
	if rawURL != "" && !isURL(rawURL) {
		return nil, openError(redactText(rawURL), notURL(rawURL))
	}
	t, err := openTarget(ctx, rawURL, opts)
	if err != nil {
		return nil, err
	}
	if t.Key != "" && t.NotFolder != nil {
		return nil, t.fail(t.NotFolder)
	}
	return t.store(t.Key), nil
}

// OpenSource opens what a URL or a path names, as the argument of a tool does:
//
//	file:///dir/  dir             every object of the folder
//	file:///dir/a.gz  dir/a.gz    one object
//	s3://logs/2026/**/*.gz        a glob, as in [ListOptions]
//
// An argument without a scheme is a path of the file system. In a URL, "?" and "#"
// within a key are written %3F and %23, and a backslash removes the meaning of the next
// glob character. A name is looked up literally before it is taken for a glob: on every
// store, "x[1].log" is the object of that name if there is one. A name that is no object
// and does not end in a slash is a folder, if anything lies in it or it has a marker;
// else the error is fs.ErrNotExist. Other errors are those of [Open].
//
// Nil opts means the defaults. ctx bounds the opening and the look-up. The caller closes
// the Source's Store.
func OpenSource(ctx context.Context, rawURL string, opts *SourceOptions) (Source, error) {
	var o SourceOptions
	if opts != nil {
		o = *opts
	}
	t, err := openTarget(ctx, rawURL, &o.Open)
	if err != nil {
		return Source{}, err
	}
	src, err := t.source(ctx, &o.List)
	if err != nil {
		t.close()
		return Source{}, err
	}
	return src, nil
}

// target is an opened URL.
type target struct {
	*driver.Opened
	service  *service // what its Stores share
	shown    string   // the URL as errors name it
	location string   // of the driver; empty: not known
	prefix   string   // the "prefix" parameter
	secrets  secrets
	opts     OpenOptions
}

// openTarget parses a URL or a path and calls the Opener of its scheme.
func openTarget(ctx context.Context, raw string, opts *OpenOptions) (*target, error) {
	u, err := parse(raw)
	if err != nil {
		return nil, openError(redactText(raw), err)
	}
	t := &target{service: &service{}, shown: redactURL(u), secrets: secretsOf(u)}
	if opts != nil {
		t.opts = *opts
	}
	if !isURL(raw) {
		t.shown = raw
	}
	if err := ctx.Err(); err != nil {
		return nil, t.fail(err)
	}
	if u.Fragment != "" || strings.Contains(raw, "#") && isURL(raw) {
		return nil, t.fail(badurl.Errorf("a URL of a store has no fragment: write # as %%23"))
	}
	open, err := opener(u.Scheme)
	if err != nil {
		return nil, t.fail(err)
	}
	if t.prefix, err = takePrefix(u); err != nil {
		return nil, t.fail(err)
	}
	t.Opened, err = open(ctx, u)
	if err != nil {
		return nil, t.fail(err)
	}
	if n, ok := t.Driver.(driver.Namer); ok {
		t.location = n.Location()
	}
	if t.opts.Wrap != nil {
		t.Driver = t.opts.Wrap(t.Driver)
	}
	if t.URL == nil {
		c := *u
		c.Path, c.RawPath = "", ""
		t.URL = &c
	}
	return t, nil
}

// notURL is the error for a path in place of a URL. It says how the URL is written.
func notURL(raw string) error {
	u, err := parse(raw)
	if err != nil || mayHoldSecret(raw) {
		return badurl.Errorf("not a URL: scheme:// is missing")
	}
	return badurl.Errorf("not a URL: write %s/, or use OpenSource", strings.TrimSuffix(u.String(), "/"))
}

// isURL reports whether raw is a URL and not a path: it has a scheme and "//", or a
// scheme that some store registers.
func isURL(raw string) bool {
	scheme, rest, ok := strings.Cut(raw, ":")
	if !ok || !badurl.IsScheme(scheme) {
		return false
	}
	if strings.HasPrefix(rest, "//") {
		return true
	}
	scheme = strings.ToLower(scheme)
	if _, ok := wellKnown[scheme]; ok {
		return true
	}
	_, err := opener(scheme)
	return err == nil
}

// parse returns the URL of a URL or a path. Its errors quote nothing, since a password
// with a stray character may be in any part.
func parse(raw string) (*url.URL, error) {
	if raw == "" {
		return nil, badurl.Errorf("empty URL")
	}
	if !isURL(raw) {
		abs, err := filepath.Abs(raw)
		if err != nil {
			return nil, err
		}
		abs = filepath.ToSlash(abs)
		if strings.HasSuffix(filepath.ToSlash(raw), "/") && abs != "/" {
			abs += "/"
		}
		return &url.URL{Scheme: "file", Path: abs}, nil
	}
	u, err := url.Parse(raw)
	if err != nil {
		if _, ok := errors.AsType[url.EscapeError](err); ok {
			return nil, badurl.Errorf("malformed URL: a percent sign is written %%25")
		}
		return nil, badurl.Errorf("malformed URL")
	}
	if _, err := url.ParseQuery(u.RawQuery); err != nil {
		return nil, badurl.Errorf("malformed query in URL")
	}
	return u, nil
}

// takePrefix removes the "prefix" parameter from u.
func takePrefix(u *url.URL) (string, error) {
	q := u.Query()
	values, ok := q["prefix"]
	if !ok {
		return "", nil
	}
	if len(values) > 1 {
		return "", badurl.Errorf("parameter prefix is given twice")
	}
	var rest []string
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		name, _, _ := strings.Cut(part, "=")
		if plain, _ := url.QueryUnescape(name); plain != "prefix" {
			rest = append(rest, part)
		}
	}
	u.RawQuery = strings.Join(rest, "&")
	return values[0], nil
}

// store returns the part of the opened store below a folder.
func (t *target) store(folder string) *Store {
	if folder != "" && !strings.HasSuffix(folder, "/") {
		folder += "/"
	}
	location := cmp.Or(t.location, t.URL.Scheme+"://"+t.URL.Hostname()+t.URL.Path)
	s := New(t.Driver, &Options{Name: t.name(folder), Location: location, Prefix: t.prefix + folder, Retry: t.opts.Retry, OnRetry: t.opts.OnRetry})
	s.secrets, s.service = t.secrets, t.service
	return s
}

// name returns the store's URL with a folder and the prefix. Parameters are sorted, so
// that their order makes no other name.
func (t *target) name(folder string) string {
	u := *t.URL
	if parts := strings.Split(u.RawQuery, "&"); len(parts) > 1 {
		slices.Sort(parts)
		u.RawQuery = strings.Join(parts, "&")
	}
	if folder != "" {
		u.Path, u.RawPath = strings.TrimSuffix(u.Path, "/")+"/"+folder, ""
	}
	if t.prefix != "" {
		if u.RawQuery != "" {
			u.RawQuery += "&"
		}
		u.RawQuery += "prefix=" + strings.ReplaceAll(url.QueryEscape(t.prefix), "%2F", "/")
	}
	return redactURL(&u)
}

// source returns what the URL names: an object, a folder or a glob, in this order. What
// exists by its literal name is never taken for a glob.
func (t *target) source(ctx context.Context, opts *ListOptions) (Source, error) {
	var o ListOptions
	if opts != nil {
		o = *opts
	}
	if t.IsObject {
		return t.object(&o)
	}
	folder, rest, err := t.literal(ctx)
	switch {
	case err != nil:
		return Source{}, err
	case t.IsObject:
		return t.object(&o)
	case rest == "":
		return t.folder(folder, &o)
	case hasMeta(rest):
		return t.glob(folder, rest, &o)
	}
	inner, last := cutFolder(rest)
	if last == "" {
		return t.folder(t.Key, &o)
	}
	switch obj, err := t.store(folder+inner).Stat(ctx, last); {
	case err == nil && !obj.IsFolder():
		return t.object(&o)
	case err == nil || errors.Is(err, driver.ErrFolder):
		return t.folder(t.Key, &o)
	case !errors.Is(err, fs.ErrNotExist):
		return Source{}, err
	}
	if t.NotFolder == nil && !t.holds(ctx, t.Key+"/", &t.NotFolder) && errors.Is(t.NotFolder, fs.ErrNotExist) {
		return Source{}, t.fail(driver.NotExist("no such object or folder"))
	}
	return t.folder(t.Key, &o)
}

// object returns the Source of the one object of the key.
func (t *target) object(o *ListOptions) (Source, error) {
	rest := *o
	rest.Exclude = nil // the object was named
	if rest.name("") != "" {
		return Source{}, t.fail(badurl.Errorf("one object takes no list options"))
	}
	folder, last := cutFolder(t.Key)
	return Keys(t.store(folder), last), nil
}

// folder returns the Source of what lies below a key.
func (t *target) folder(key string, o *ListOptions) (Source, error) {
	if key != "" && t.NotFolder != nil {
		return Source{}, t.fail(t.NotFolder)
	}
	return t.list(t.store(key), o)
}

// glob returns the Source of what matches a glob below a folder.
func (t *target) glob(folder, glob string, o *ListOptions) (Source, error) {
	if o.Glob != "" {
		return Source{}, t.fail(badurl.Errorf("two globs, in the URL and in the options"))
	}
	head, glob := cutGlob(glob)
	o.Glob = glob
	return t.folder(folder+head, o)
}

// list checks the globs at once, so that a mistake is an error of the opening.
func (t *target) list(s *Store, o *ListOptions) (Source, error) {
	if err := o.valid(); err != nil {
		return Source{}, t.fail(badurl.Errorf("%w", err))
	}
	return s.List(o), nil
}

func (t *target) close() {
	if c, ok := t.Driver.(io.Closer); ok {
		c.Close()
	}
}

func (t *target) fail(err error) error {
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	return openError(t.shown, t.secrets.scrub(err))
}

func openError(shown string, err error) error {
	return &Error{Op: "open", Store: shown, Err: err}
}

// cutFolder splits a key after its last slash.
func cutFolder(key string) (folder, last string) {
	i := strings.LastIndexByte(key, '/') + 1
	return key[:i], key[i:]
}
