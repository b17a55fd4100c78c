package frame_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/frame/frametest"
)

// referenceRegexp is regexp written for clarity.
func referenceRegexp(expr string) reference {
	re := regexp.MustCompile(expr)
	return func(data string) (records []string, err error) {
		var record string
		for line := range strings.Lines(strings.TrimPrefix(data, "\ufeff")) {
			text := line
			if feed, ok := strings.CutSuffix(line, "\n"); ok {
				text = strings.TrimSuffix(feed, "\r")
			}
			if record != "" && re.MatchString(text) {
				records = append(records, record)
				record = ""
			}
			record += line
		}
		if record != "" {
			records = append(records, record)
		}
		for i, r := range records {
			if feed, ok := strings.CutSuffix(r, "\n"); ok {
				records[i] = strings.TrimSuffix(feed, "\r")
			}
		}
		return records, nil
	}
}

func TestRegexp(t *testing.T) {
	t.Parallel()
	long := "1 " + strings.Repeat("x", 10000)
	frametest.Run(t, lookup(t, `regexp:^\d`), []frametest.Case{
		{Name: "empty", In: ""},
		{Name: "stack traces", In: "1 a\n\tat b\r\n\n2 c\n3 d\r\n  e", Want: []string{"1 a\n\tat b\r\n", "2 c", "3 d\r\n  e"}},
		{Name: "first line does not match", In: "a\nb\n1 c\n", Want: []string{"a\nb", "1 c"}},
		{Name: "digits elsewhere", In: "1 a\n 2\nb3\n", Want: []string{"1 a\n 2\nb3"}},
		{Name: "byte order mark", In: "\ufeff1 a\n2 b", Want: []string{"1 a", "2 b"}},
		{Name: "byte order mark alone", In: "\ufeff"},
		{Name: "long lines", In: long + "\n" + long, Want: []string{long, long}},
	})
	f := lookup(t, `regexp:^a+\S*$`)
	tokens := []string{"a", "b", " ", "\r", "\n", "\r\n", "\ufeff", "\na", "\nab\n"}
	checkRandom(t, f, referenceRegexp(`^a+\S*$`), tokens...)
	checkEdges(t, f, referenceRegexp(`^a+\S*$`), "b", tokens...)
	checkEdges(t, f, referenceRegexp(`^a+\S*$`), "a\n", tokens...)
	checkSkip(t, lookup(t, `regexp:^\d`), "1 one\n2\n"+strings.Repeat(" line\n", 100)+"3\n", "1 one 3", 1)
	checkSkip(t, lookup(t, `regexp:^\d`), long+"\n2\n3\n", "2 3", 1)
}

func FuzzRegexp(f *testing.F) {
	fuzz(f, lookup(f, `regexp:^a+\S*$`), referenceRegexp(`^a+\S*$`), "a\nb\r\nab", "\ufeffab")
}

func TestWhole(t *testing.T) {
	t.Parallel()
	frametest.Run(t, lookup(t, "whole"), []frametest.Case{
		{Name: "empty", In: ""},
		{Name: "one record", In: "a\n\x00b\r\n", Want: []string{"a\n\x00b\r\n"}},
	})
}

// referenceWhole is whole written for clarity.
func referenceWhole(data string) ([]string, error) {
	if data == "" {
		return nil, nil
	}
	return []string{data}, nil
}

func TestWholeAtEdges(t *testing.T) {
	t.Parallel()
	checkEdges(t, lookup(t, "whole"), referenceWhole, "x\n", textTokens...)
}

func FuzzWhole(f *testing.F) { fuzz(f, lookup(f, "whole"), referenceWhole, "", "a\n\x00") }
