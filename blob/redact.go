package blob

import (
	"net/url"
	"slices"
	"strings"

	"github.com/thaw-go/thaw/blob/internal/badurl"
)

// redacted stands where a credential stood. It is always the same, so that a
// new token does not rename a store.
const redacted = "xxxxx"

// sensitive are parts of the names of query parameters whose values are
// credentials: access keys, account keys, SAS and presigned signatures, tokens.
var sensitive = []string{"key", "secret", "token", "sig", "pass", "pwd", "credential", "auth", "sas", "cookie"}

// redactURL spells u without its user information, its fragment and the values
// of sensitive query parameters.
func redactURL(u *url.URL) string {
	c := *u
	if c.User != nil {
		c.User = url.User(redacted)
	}
	c.RawQuery = redactQuery(c.RawQuery)
	if c.Fragment != "" {
		c.Fragment, c.RawFragment = redacted, ""
	}
	if c.Opaque != "" && strings.Contains(c.Opaque, "@") {
		c.Opaque = redacted
	}
	return c.String()
}

// redactQuery keeps the order and the spelling of what is harmless.
func redactQuery(raw string) string {
	if raw == "" {
		return ""
	}
	parts := strings.Split(raw, "&")
	for i, part := range parts {
		name, value, _ := strings.Cut(part, "=")
		if value == "" {
			continue
		}
		plain, err := url.QueryUnescape(value)
		if err != nil || isSensitive(name) || strings.Contains(plain, "://") && strings.Contains(plain, "@") {
			parts[i] = name + "=" + redacted
		}
	}
	return strings.Join(parts, "&")
}

func isSensitive(name string) bool {
	plain, err := url.QueryUnescape(name)
	if err != nil {
		return true
	}
	plain = strings.ToLower(plain)
	return slices.ContainsFunc(sensitive, func(part string) bool { return strings.Contains(plain, part) })
}

// redactText names a URL that does not parse, or a path. Where a credential could
// stand, only its scheme is shown.
func redactText(raw string) string {
	scheme, rest, isURL := strings.Cut(raw, ":")
	switch {
	case raw == "":
		return `""`
	case !isURL || !badurl.IsScheme(scheme):
		if mayHoldSecret(raw) {
			return redacted
		}
	case strings.Contains(rest, ":") || mayHoldSecret(rest):
		return scheme + "://" + redacted
	}
	return raw
}

// mayHoldSecret reports whether text has a sign of user information, a query or a
// connection string.
func mayHoldSecret(text string) bool { return strings.ContainsAny(text, "@?=") }

// secrets are texts that no message may hold.
type secrets []string

// minSecret is the shortest text that is replaced in messages: shorter ones
// would hit ordinary words.
const minSecret = 3

// secretsOf collects the credentials of u, as written and as decoded.
func secretsOf(u *url.URL) secrets {
	var s secrets
	add := func(text string) {
		for _, t := range []string{text, url.QueryEscape(text), url.PathEscape(text)} {
			if len(t) >= minSecret && !slices.Contains(s, t) {
				s = append(s, t)
			}
		}
	}
	if u.User != nil {
		add(u.User.String())
		if pw, ok := u.User.Password(); ok {
			add(pw)
		} else {
			add(u.User.Username())
		}
	}
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		name, value, _ := strings.Cut(part, "=")
		plain, err := url.QueryUnescape(value)
		if err != nil {
			add(value)
			continue
		}
		if isSensitive(name) || strings.Contains(plain, "://") && strings.Contains(plain, "@") {
			add(value)
			add(plain)
			if inner, err := url.Parse(plain); err == nil && inner.User != nil {
				if pw, ok := inner.User.Password(); ok {
					add(pw)
				}
			}
		}
	}
	// Longest first, so that a secret within another leaves no rest.
	slices.SortFunc(s, func(a, b string) int { return len(b) - len(a) })
	return s
}

// scrub returns err with a message that holds no secret and the same causes for
// errors.Is.
func (s secrets) scrub(err error) error {
	if len(s) == 0 || err == nil {
		return err
	}
	text := err.Error()
	clean := text
	for _, secret := range s {
		clean = strings.ReplaceAll(clean, secret, redacted)
	}
	if clean == text {
		return err
	}
	return &scrubbed{text: clean, err: err}
}

// scrubbed is an error with another message.
type scrubbed struct {
	text string
	err  error
}

func (e *scrubbed) Error() string { return e.text }

func (e *scrubbed) Unwrap() error { return e.err }
