package frame_test

import (
	"io"
	"strings"
	"testing"
)

// referenceLines is lines written for clarity.
func referenceLines(data string) ([]string, error) {
	var lines []string
	for line := range strings.SplitAfterSeq(strings.TrimPrefix(data, "\ufeff"), "\n") {
		if line == "" { // after the last line feed
			continue
		}
		if text, ok := strings.CutSuffix(line, "\n"); ok {
			line = strings.TrimSuffix(text, "\r")
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// referenceNDJSON is ndjson written for clarity.
func referenceNDJSON(data string) ([]string, error) {
	var records []string
	lines, _ := referenceLines(data)
	for _, line := range lines {
		if strings.Trim(line, " \t\r\n") != "" {
			records = append(records, line)
		}
	}
	return records, nil
}

// referenceDelim is delim written for clarity.
func referenceDelim(sep string) reference {
	return func(data string) ([]string, error) {
		records := strings.Split(data, sep)
		if records[len(records)-1] == "" {
			records = records[:len(records)-1]
		}
		return records, nil
	}
}

// referenceFixed is fixed written for clarity.
func referenceFixed(n int) reference {
	return func(data string) (records []string, err error) {
		for ; len(data) >= n; data = data[n:] {
			records = append(records, data[:n])
		}
		if data != "" {
			return records, io.ErrUnexpectedEOF
		}
		return records, nil
	}
}

var textTokens = []string{"\n", "\r\n", "\r", "\ufeff", "\xef\xbb", "a", " ", "\x00", "bcd", "\n\n"}

func TestTextAgainstReference(t *testing.T) {
	t.Parallel()
	checkRandom(t, lookup(t, "lines"), referenceLines, textTokens...)
	checkEdges(t, lookup(t, "lines"), referenceLines, "xy", textTokens...)
	checkEdges(t, lookup(t, "lines"), referenceLines, "x\n", textTokens...)
	checkRandom(t, lookup(t, "ndjson"), referenceNDJSON, textTokens...)
	checkEdges(t, lookup(t, "ndjson"), referenceNDJSON, "xy", textTokens...)
	checkEdges(t, lookup(t, "ndjson"), referenceNDJSON, "\n", textTokens...)
	checkEdges(t, lookup(t, "ndjson"), referenceNDJSON, " ", textTokens...)
	checkRandom(t, lookup(t, "delim:00"), referenceDelim("\x00"), textTokens...)
	checkRandom(t, lookup(t, "delim:0d0a"), referenceDelim("\r\n"), textTokens...)
	checkRandom(t, lookup(t, "delim:616261"), referenceDelim("aba"), "a", "b", "ab", "c")
	for _, filler := range []string{"x", "x\r\n", "\r", "\n"} {
		checkEdges(t, lookup(t, "delim:00"), referenceDelim("\x00"), filler, textTokens...)
		checkEdges(t, lookup(t, "delim:0d0a"), referenceDelim("\r\n"), filler, textTokens...)
	}
	checkEdges(t, lookup(t, "fixed:5"), referenceFixed(5), "x\n", textTokens...)
	checkEdges(t, lookup(t, "fixed:64"), referenceFixed(64), "x\n", textTokens...)
	checkEdges(t, lookup(t, "delim:616162"), referenceDelim("aab"), "a", "b", "aab", "c")
}

func FuzzLines(f *testing.F) {
	fuzz(f, lookup(f, "lines"), referenceLines, "", "a\r\nb", "\ufeff\n\r\r\n")
}

func FuzzNDJSON(f *testing.F) {
	fuzz(f, lookup(f, "ndjson"), referenceNDJSON, "", "{}\r\n \n[]", "\ufeff \n\r\n1")
}

func FuzzDelim(f *testing.F) {
	fuzz(f, lookup(f, "delim:0d0a"), referenceDelim("\r\n"), "", "a\r\n\r\r\nb")
}
