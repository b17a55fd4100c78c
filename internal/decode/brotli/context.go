package brotli

import "strings"

// contextMode returns the context of a literal from the two bytes before it, the
// last one first: the bits of both, RFC 7932 section 7.1.
type contextMode struct{ last, second [256]uint8 }

// contextModes are those that a block of literals may have, as they are numbered:
// LSB6, MSB6, UTF8, Signed.
var contextModes = func() (m [4]contextMode) {
	for c := range 256 {
		m[0].last[c] = uint8(c & 63)
		m[1].last[c] = uint8(c >> 2)
		m[2].last[c] = textContext(c)
		m[2].second[c] = textContextBefore(c)
		m[3].last[c] = numberContext(c) << 3
		m[3].second[c] = numberContext(c)
	}
	return m
}()

// textContext is the context that the last byte of a text makes.
func textContext(c int) uint8 {
	class := 3 // other punctuation
	switch {
	case c >= 192:
		return 2 | uint8(c&1)
	case c >= 128:
		return uint8(c & 1)
	case c == '\t' || c == '\n' || c == '\r':
		class = 1
	case c < ' ' || c == 127:
		class = 0
	case c == ' ':
		class = 2
	case c == '"' || c == '\'':
		class = 4
	case c == '%':
		class = 5
	case strings.IndexByte("(<[{", byte(c)) >= 0:
		class = 6
	case strings.IndexByte(")>]}", byte(c)) >= 0:
		class = 7
	case strings.IndexByte(",:;", byte(c)) >= 0:
		class = 8
	case c == '.':
		class = 9
	case c == '=':
		class = 10
	case c >= '0' && c <= '9':
		class = 11
	case c >= 'A' && c <= 'Z':
		class = 13
	case c >= 'a' && c <= 'z':
		class = 15
	}
	if class >= 13 && strings.IndexByte("aeiou", byte(c|0x20)) >= 0 {
		class--
	}
	return uint8(4 * class)
}

// textContextBefore is what the byte before the last adds.
func textContextBefore(c int) uint8 {
	switch {
	case c <= ' ' || c == 127 || c >= 128 && c < 224:
		return 0
	case c >= 224:
		return 2
	case c >= 'a' && c <= 'z':
		return 3
	case c >= 'A' && c <= 'Z' || c >= '0' && c <= '9':
		return 2
	}
	return 1
}

// numberContext is how large a byte is.
func numberContext(c int) uint8 {
	for i, above := range [7]int{0, 15, 63, 127, 191, 239, 254} {
		if c <= above {
			return uint8(i)
		}
	}
	return 7
}
