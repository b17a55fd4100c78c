package kept

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxText bounds the text of one error, in bytes.
const maxText = 4 << 10

// Text returns the text of an error as it is kept: UTF-8, and at most 4 KiB, of which the
// beginning and the end say the most.
func Text(text string) string {
	if len(text) <= maxText {
		if text = strings.ToValidUTF8(text, "\uFFFD"); len(text) <= maxText {
			return text
		}
	}
	const head, tail = maxText / 2, maxText / 4
	from, to := head, len(text)-tail
	for from > head-utf8.UTFMax && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text)-tail+utf8.UTFMax && !utf8.RuneStart(text[to]) {
		to++
	}
	clean := func(s string) string { return strings.ToValidUTF8(s, "?") }
	return fmt.Sprintf("%s … (%d bytes left out) … %s", clean(text[:from]), to-from, clean(text[to:]))
}
