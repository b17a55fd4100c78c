package httpstore

import (
	"context"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/thaw-go/thaw/blob/driver"
)

// Ordered checks that a listing has what package driver promises: keys with prefix and
// greater than after, ascending in byte order, each once, and an end when ctx ends.
// objects may begin earlier than after and hold keys without prefix; they are left out.
// Disorder is an error: a listing that resumes after a key would leave objects out.
func Ordered(ctx context.Context, objects iter.Seq2[driver.Object, error], prefix, after string) iter.Seq2[driver.Object, error] {
	return func(yield func(driver.Object, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(driver.Object{}, err)
			return
		}
		last, any := "", false
		for obj, err := range objects {
			if end := ctx.Err(); end != nil {
				err = end
			}
			if err == nil && any && obj.Key <= last {
				err = &driver.OrderError{Key: obj.Key, After: last}
			}
			if err != nil {
				yield(driver.Object{}, err)
				return
			}
			last, any = obj.Key, true
			if !strings.HasPrefix(obj.Key, prefix) || after != "" && obj.Key <= after {
				continue
			}
			if !yield(obj, nil) {
				return
			}
		}
	}
}

// Valid returns the longest beginning of s that is UTF-8 text: services accept no other
// prefix or start of a listing.
func Valid(s string) string {
	for i, r := range s {
		if _, n := utf8.DecodeRuneInString(s[i:]); r == utf8.RuneError && n == 1 {
			return s[:i]
		}
	}
	return s
}
