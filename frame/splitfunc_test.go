package frame_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/frame/frametest"
)

// commas is a split that ends on bufio.ErrFinalToken.
func commas(data []byte, atEOF bool) (int, []byte, error) {
	if i := bytes.IndexByte(data, ','); i >= 0 {
		return i + 1, data[:i], nil
	}
	if !atEOF {
		return 0, nil, nil
	}
	return 0, data, bufio.ErrFinalToken
}

func TestSplitFunc(t *testing.T) {
	t.Parallel()
	frametest.Run(t, frame.FromSplitFunc("scanlines", bufio.ScanLines), []frametest.Case{
		{Name: "lines", In: "a\r\n\nb", Want: []string{"a", "", "b"}},
	})
	frametest.Run(t, frame.FromSplitFunc("words", bufio.ScanWords), []frametest.Case{
		{Name: "prefix is skipped", In: "  a bb\n\tccc ", Want: []string{"a", "bb", "ccc"}},
		{Name: "only prefix", In: "   "},
		{Name: "trailing blanks belong to none", In: "a \n \n", Want: []string{"a"}},
	})
	frametest.Run(t, frame.FromSplitFunc("runes", bufio.ScanRunes), []frametest.Case{
		{Name: "runes", In: "aé€", Want: []string{"a", "é", "€"}},
	})
	frametest.Run(t, frame.FromSplitFunc("commas", commas), []frametest.Case{
		{Name: "final token", In: "a,,bb", Want: []string{"a", "", "bb"}},
		{Name: "an empty final token takes no bytes", In: "a,", Want: []string{"a"}},
	})
}

func TestSplitFuncRefuses(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, c := range []struct {
		name   string
		split  bufio.SplitFunc
		want   error
		offset int64
	}{
		{"a token that is a copy", func(data []byte, _ bool) (int, []byte, error) {
			return 1, bytes.Clone(data[:1]), nil
		}, frame.ErrRecord, 0},
		{"a token behind its advance", func(data []byte, _ bool) (int, []byte, error) {
			return 1, data[:2], nil
		}, frame.ErrRecord, 0},
		{"a token without advance", func(data []byte, _ bool) (int, []byte, error) {
			return 0, data[:0], nil
		}, frame.ErrRecord, 0},
		{"advance over the end", func(data []byte, _ bool) (int, []byte, error) {
			return len(data) + 1, data, nil
		}, frame.ErrRecord, 0},
		{"negative advance", func([]byte, bool) (int, []byte, error) { return -1, nil, nil }, frame.ErrRecord, 0},
		{"neither at the end", func([]byte, bool) (int, []byte, error) { return 0, nil, nil }, io.ErrUnexpectedEOF, 0},
		{"bytes behind the final token", func(data []byte, _ bool) (int, []byte, error) {
			return 1, data[:1], bufio.ErrFinalToken
		}, frame.ErrRecord, 0},
		{"no final token", func([]byte, bool) (int, []byte, error) { return 0, nil, bufio.ErrFinalToken }, frame.ErrRecord, 0},
		{"its own error", func(data []byte, _ bool) (int, []byte, error) {
			if data[0] == '!' {
				return 0, nil, broken
			}
			return 1, nil, nil
		}, broken, 3},
		{"a token that depends on what follows", func(data []byte, _ bool) (int, []byte, error) {
			return 2, data[:min(len(data)-1, 2)], nil
		}, frame.ErrRecord, 0},
	} {
		_, err := frametest.Split(frame.FromSplitFunc("own", c.split), []byte("abc!"), 0, 0)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
			continue
		}
		if e, ok := errors.AsType[*frame.Error](err); !ok || e.Offset != c.offset {
			t.Errorf("%s: got %v, want offset %d", c.name, err, c.offset)
		}
	}
}

// referenceWords is bufio.ScanWords written for clarity.
func referenceWords(data string) ([]string, error) { return strings.Fields(data), nil }

func TestSplitFuncAgainstReference(t *testing.T) {
	t.Parallel()
	f := frame.FromSplitFunc("words", bufio.ScanWords)
	tokens := []string{" ", "\n", "\r\n", "\u2003", "\xe2\x80", "a", "\"", "\\", "bcd"}
	checkRandom(t, f, referenceWords, tokens...)
	checkEdges(t, f, referenceWords, "x", tokens...)
	checkEdges(t, f, referenceWords, "x ", tokens...)
}

func FuzzSplitFunc(f *testing.F) {
	fuzz(f, frame.FromSplitFunc("words", bufio.ScanWords), referenceWords, "", " a\r\nbc\u2003d ")
}
