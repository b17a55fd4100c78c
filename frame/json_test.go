package frame_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/frame/frametest"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// referenceJSON is what encoding/json takes for documents.
func referenceJSON(data string) (docs []string, err error) {
	d := json.NewDecoder(strings.NewReader(strings.TrimPrefix(data, "\ufeff")))
	for {
		var doc json.RawMessage
		switch err := d.Decode(&doc); {
		case err == io.EOF:
			return docs, nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return docs, io.ErrUnexpectedEOF
		case err != nil:
			return docs, frame.ErrRecord
		}
		docs = append(docs, string(doc))
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 10000) + strings.Repeat("]", 10000)
	text := `"` + strings.Repeat(`\"{\\`, 1000) + `"`
	frametest.Run(t, lookup(t, "json"), []frametest.Case{
		{Name: "empty", In: ""},
		{Name: "white space", In: " \n\r\t"},
		{Name: "one", In: "{\"a\":1}\n", Want: []string{`{"a":1}`}},
		{Name: "printed over lines", In: "\n{\n\t\"a\": [\n1 ,\r\n2 ]\n}\n\n[ ]\n", Want: []string{"{\n\t\"a\": [\n1 ,\r\n2 ]\n}", "[ ]"}},
		{Name: "without white space", In: `{"a":{}}[]"b""c"{}null1`, Want: []string{`{"a":{}}`, "[]", `"b"`, `"c"`, "{}", "null", "1"}},
		{Name: "scalars", In: "1 -0.5e+3 true\nfalse null \"x\"", Want: []string{"1", "-0.5e+3", "true", "false", "null", `"x"`}},
		{Name: "numbers that touch", In: "1-2 01", Want: []string{"1", "-2", "0", "1"}},
		{Name: "brackets in strings", In: `{"s":"}{\"}{"}{"t":"]["}`, Want: []string{`{"s":"}{\"}{"}`, `{"t":"]["}`}},
		{Name: "escapes", In: `"\\" "\"" "\u00e9\uD83D" "\/\b\f\n\r\t"`, Want: []string{`"\\"`, `"\""`, `"\u00e9\uD83D"`, `"\/\b\f\n\r\t"`}},
		{Name: "long string", In: text + text, Want: []string{text, text}},
		{Name: "numbers of any size", In: `{"n":9007199254740993,"x":1e400}`, Want: []string{`{"n":9007199254740993,"x":1e400}`}},
		{Name: "bad UTF-8 stays", In: "\"\xff\"", Want: []string{"\"\xff\""}},
		{Name: "byte order mark", In: "\ufeff {}", Want: []string{"{}"}},
		{Name: "byte order mark alone", In: "\ufeff"},
		{Name: "byte order mark elsewhere", In: "{}\ufeff{}", Want: []string{"{}"}, Err: frame.ErrRecord},
		{Name: "deepest", In: deep, Want: []string{deep}},
		{Name: "too deep", In: "1 [" + deep + "]", Want: []string{"1"}, Err: frame.ErrNoResync},
		{Name: "cut behind a comma", In: `{"a":1}{"b":1,`, Want: []string{`{"a":1}`}, Err: io.ErrUnexpectedEOF},
		{Name: "cut behind a colon", In: `{"a":1}{"b":`, Want: []string{`{"a":1}`}, Err: io.ErrUnexpectedEOF},
		{Name: "cut in a string", In: "{\"a\":1}\n{\"b\":\"xy", Want: []string{`{"a":1}`}, Err: io.ErrUnexpectedEOF},
		{Name: "cut in an escape", In: `"a\u00`, Err: io.ErrUnexpectedEOF},
		{Name: "cut in a literal", In: "[tru", Err: io.ErrUnexpectedEOF},
		{Name: "cut in a number", In: "1 -", Want: []string{"1"}, Err: io.ErrUnexpectedEOF},
		{Name: "comma between documents", In: `{"a":1},`, Want: []string{`{"a":1}`}, Err: frame.ErrRecord},
		{Name: "no value before a comma", In: "[\n  ,\n]", Err: frame.ErrRecord},
		{Name: "comma before the end", In: "[1,]", Err: frame.ErrRecord},
		{Name: "brackets that do not match", In: "{} [}", Want: []string{"{}"}, Err: frame.ErrRecord},
		{Name: "name that is no string", In: "{1:2}", Err: frame.ErrRecord},
		{Name: "control character in a string", In: "\"a\nb\"", Err: frame.ErrRecord},
		{Name: "unknown escape", In: `"\x"`, Err: frame.ErrRecord},
		{Name: "leading zero", In: "[01]", Err: frame.ErrRecord},
		{Name: "unknown literal", In: "nul1", Err: frame.ErrRecord},
		{Name: "NUL", In: "1\x00", Want: []string{"1"}, Err: frame.ErrRecord},
	})
}

// jsonTokens make documents, good and bad.
var jsonTokens = []string{
	"{", "}", "[", "]", ",", ":", "\"", "\"a\":", "\"b\"", "\\", "\\\"", "\\u00e9", "\\u", " ", "\n",
	"1", "-", "0", ".5", "e+", "E1", "true", "nul", "null", "{\"k\":[1,{}]}", "[[],\"x\"]",
}

func TestJSONAgainstEncodingJSON(t *testing.T) {
	t.Parallel()
	f := lookup(t, "json")
	checkRandom(t, f, referenceJSON, jsonTokens...)
	checkEdges(t, f, referenceJSON, " ", jsonTokens...)
	checkEdges(t, f, referenceJSON, "[1],", jsonTokens...)
	checkEdges(t, f, func(data string) ([]string, error) { return referenceJSON(data) }, "\"a\" ", jsonTokens...)
	// Within a string that the filler does not close.
	for _, token := range jsonTokens {
		for at := 50; at < 80; at++ {
			data := `["` + strings.Repeat("x", at) + token + `"]{}`
			check(t, f, referenceJSON, data, [][2]int{{64, 0}, {64, 7}, {0, 0}})
		}
	}
}

// TestJSONSkips holds what follows a document over the limit.
func TestJSONSkips(t *testing.T) {
	t.Parallel()
	long := `{"a":"` + strings.Repeat(`\"}`, 300) + `"}`
	checkSkip(t, lookup(t, "json"), `"one"`+long+"\n \"two\"", `"one" "two"`, 1)
	checkSkip(t, lookup(t, "json"), "\ufeff"+long+long+`"two"`, `"two"`, 2)
}

// TestJSONBrokenLine holds that one broken line among texts that each stand on a
// line costs itself alone, and that nothing else is taken for lines.
func TestJSONBrokenLine(t *testing.T) {
	t.Parallel()
	line := func(i int) string { return fmt.Sprintf(`{"id": %d, "name": "x", "list": [{"a": 1}, 2]}`, i) }
	for _, bad := range []string{
		"", "{", "}", "x", "]", "nul", "\x00", `{"id": 4,`, `{"id": 4, "na`, `{"id": 4, "name": "x"`, `{"id": 4, "v": NaN}`, `{"id": 4, "v":`,
		`{"id": 4, "list": [`, `{"id": 4, "list": [{"a": 1}, `, `{"id": 4}}`, `{"id": 4}, `, `{id: 4}`, `{"a":{"a":{"a":`, "{\"a\":\r", "\ufeff{}", "{}x",
	} {
		for _, feed := range []string{"\n", "\r\n"} {
			for _, at := range []int{1, 2, 4, 5} {
				var in strings.Builder
				var want []string
				for i := range 5 {
					if i == at {
						in.WriteString(bad + feed)
					}
					in.WriteString(line(i) + feed)
					want = append(want, line(i))
				}
				if at == 5 {
					in.WriteString(bad)
				}
				whole := map[string]string{`{"id": 4}}`: `{"id": 4}`, `{"id": 4}, `: `{"id": 4}`, "{}x": "{}"}[bad]
				if whole != "" {
					want = slices.Insert(want, at, whole)
				}
				for _, size := range [][2]int{{0, 0}, {1, 1}, {7, 3}, {64, 0}} {
					d := &frametest.Driver{Framer: lookup(t, "json"), Slab: size[0], Chunk: size[1], Skip: true}
					records, skipped, err := d.Split([]byte(in.String()))
					var got []string
					for _, r := range records {
						got = append(got, string(r.Data))
					}
					if err != nil || skipped != min(1, len(bad)) || !equalStrings(got, want) {
						t.Errorf("%q before line %d, slab %d: got %q, %d skipped, %v, want %q and 1", bad, at, size[0], got, skipped, err, want)
					}
				}
			}
		}
	}
	for _, c := range []struct {
		name, in string
		records  int
		lost     bool
	}{
		{"first line", "{\"a\":NaN}\n{\"a\":1}\n", 0, true},
		{"printed over lines", "{\n\"a\": 1\n}\n{\n\"a\": NaN\n}\n{}\n", 1, true},
		{"one on a line and one over several", "{}\n{\n\"a\": 1\n}\n{]\n{}\n", 2, true},
		{"two on a line", "{}{}\n{]\n{}\n", 2, true},
		{"scalars", "1\n2\nx\n3\n", 2, true},
		{"array printed over lines", "[\n{\"a\":1},\n{\"a\":NaN},\n{}\n]\n", 0, true},
		{"printed over lines after one on a line", "{}\n{\n  \"a\": NaN,\n  \"b\": 1\n}\n{}\n", 2, false},
		{"two broken lines", "{}\n{]\n{}\n{\n{}\n", 3, false},
		{"one over lines after a broken line", "{}\n{]\n{\"a\":\n1}\n{}\n", 2, false},
		{"broken line over the limit", "{}\n{\"a\":\"" + strings.Repeat("x", 80_000) + "\n{}\n", 2, false},
		{"line over the limit", "{}\n{\"a\":\"" + strings.Repeat("x", 80_000) + "\"}\n{}\n", 2, false},
	} {
		for _, size := range [][2]int{{0, 0}, {1, 1}, {7, 3}, {64, 0}} {
			if size[0] > 0 && len(c.in) > 1000 {
				size = [2]int{40_000, 30_000 + size[0]}
			}
			d := &frametest.Driver{Framer: lookup(t, "json"), Options: &frame.Options{MaxRecord: 1000}, Slab: size[0], Chunk: size[1], Skip: true}
			records, _, err := d.Split([]byte(c.in))
			if len(records) != c.records || errors.Is(err, frame.ErrNoResync) != c.lost || (err != nil) != c.lost {
				t.Errorf("%s, slab %d: got %d records, %v, want %d, ErrNoResync: %v", c.name, size[0], len(records), err, c.records, c.lost)
			}
		}
	}
}

func FuzzJSON(f *testing.F) {
	fuzz(f, lookup(f, "json"), referenceJSON, "", `{"a":[1,-2.5e3,"\u00e9",null]}`, "[\n1]2 3", "{}\n{]\n{}\n[\n[]\n")
}

// BenchmarkJSON sets json beside a json.Decoder of RawMessage.
func BenchmarkJSON(b *testing.B) {
	data := bytes.TrimSpace(corpus.NDJSONBytes(1, 1100))
	b.Run("framer=json.Decoder", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			d := json.NewDecoder(bytes.NewReader(data))
			var doc json.RawMessage
			for {
				if err := d.Decode(&doc); err == io.EOF {
					break
				} else if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("framer=json", func(b *testing.B) { benchScan(b, lookup(b, "json"), data) })
}

// A state stays what it was: a manifest holds it while the Scanner goes on.
func TestJSONStateIsKept(t *testing.T) {
	t.Parallel()
	f, err := frame.Default().Lookup("json")
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.New(&frame.Options{MaxRecord: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Scan([]byte("{}\n[]\n{}\n"), false, nil); err != nil {
		t.Fatal(err)
	}
	state := s.State()
	before := string(state)
	if _, err := s.Scan([]byte("\n{}\n[]\n"), false, nil); err != nil {
		t.Fatal(err)
	}
	if after := string(s.State()); before == "" || string(state) != before || after == before {
		t.Errorf("the state %q became %q, and the next is %q", before, state, after)
	}
}
