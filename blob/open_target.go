package blob

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/internal/badurl"
)

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
