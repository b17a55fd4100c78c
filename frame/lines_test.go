package frame_test

import (
	"strings"
	"testing"

	"github.com/thaw-go/thaw/frame/frametest"
)

func TestLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 65535)
	frametest.Run(t, lookup(t, "lines"), []frametest.Case{
		{Name: "empty", In: ""},
		{Name: "one", In: "a\n", Want: []string{"a"}},
		{Name: "last needs no line feed", In: "a\nb", Want: []string{"a", "b"}},
		{Name: "blank lines are records", In: "\n\na\n\n", Want: []string{"", "", "a", ""}},
		{Name: "carriage return before line feed", In: "a\r\nb\r\n\r\n", Want: []string{"a", "b", ""}},
		{Name: "carriage return elsewhere is data", In: "a\rb\n\r\rc\r\r\n\rd\r", Want: []string{"a\rb", "\r\rc\r", "\rd\r"}},
		{Name: "NUL and bad UTF-8 are data", In: "\x00\n\xff\xfe\n", Want: []string{"\x00", "\xff\xfe"}},
		{Name: "vertical tab and form feed are data", In: "a\vb\fc\n", Want: []string{"a\vb\fc"}},
		{Name: "byte order mark", In: "\ufeffa\n\ufeffb\n", Want: []string{"a", "\ufeffb"}},
		{Name: "byte order mark alone is no record", In: "\ufeff"},
		{Name: "byte order mark and a line feed", In: "\ufeff\n", Want: []string{""}},
		{Name: "cut byte order mark is data", In: "\xef\xbb", Want: []string{"\xef\xbb"}},
		{Name: "second byte order mark is data", In: "\ufeff\ufeff", Want: []string{"\ufeff"}},
		{Name: "line over 64 KiB", In: "a\n" + long + "\r\n" + long + "y\nb", Want: []string{"a", long, long + "y", "b"}},
	})
}

func TestNDJSON(t *testing.T) {
	t.Parallel()
	frametest.Run(t, lookup(t, "ndjson"), []frametest.Case{
		{Name: "empty", In: ""},
		{Name: "lines", In: "{}\n[]\r\n1", Want: []string{"{}", "[]", "1"}},
		{Name: "blank lines are skipped", In: "\n \t\r\n\n{}\n\n\n[]\n\n \n", Want: []string{"{}", "[]"}},
		{Name: "blank lines alone", In: "\n \r\n\t"},
		{Name: "white space around a value stays", In: "\n {} \n\t[]\r\r\n", Want: []string{" {} ", "\t[]\r"}},
		{Name: "white space that is not JSON's is data", In: "\v\n\f\n\x00\n", Want: []string{"\v", "\f", "\x00"}},
		{Name: "byte order mark", In: "\ufeff{}\n\ufeff[]\n", Want: []string{"{}", "\ufeff[]"}},
		{Name: "byte order mark before blank lines", In: "\ufeff\n\r\n{}\n", Want: []string{"{}"}},
		{Name: "byte order mark before blanks alone", In: "\ufeff \n\n"},
		{Name: "byte order mark behind blank lines is data", In: "\n\ufeff\n", Want: []string{"\ufeff"}},
		{Name: "many blank lines", In: "1\n" + strings.Repeat("\r\n", 500) + "2\n", Want: []string{"1", "2"}},
	})
}

func TestDelim(t *testing.T) {
	t.Parallel()
	frametest.Run(t, lookup(t, "delim:00"), []frametest.Case{
		{Name: "empty", In: ""},
		{Name: "NUL", In: "a\x00\x00b\nc\x00", Want: []string{"a", "", "b\nc"}},
		{Name: "last needs none", In: "a\x00b", Want: []string{"a", "b"}},
		{Name: "a byte order mark is data", In: "\ufeff\x00", Want: []string{"\ufeff"}},
	})
	frametest.Run(t, lookup(t, "delim:61616162"), []frametest.Case{ // "aaab"
		{Name: "prefix of itself", In: "xaaaaabyaaab", Want: []string{"xaa", "y"}},
		{Name: "cut", In: "xaaabaaa", Want: []string{"x", "aaa"}},
		{Name: "alone", In: "aaab", Want: []string{""}},
	})
	frametest.Run(t, lookup(t, "delim:6161"), []frametest.Case{ // "aa"
		{Name: "leftmost, without overlap", In: "aaaaabaaa", Want: []string{"", "", "ab", "a"}},
	})
}
