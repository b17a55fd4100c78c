package frame_test

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/frame/frametest"
)

// referenceArray walks one array with encoding/json.
func referenceArray(data string) (elements []string, err error) {
	kind := func(err error) error {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return io.ErrUnexpectedEOF
		}
		return frame.ErrRecord
	}
	d := json.NewDecoder(strings.NewReader(strings.TrimPrefix(data, "\ufeff")))
	switch open, err := d.Token(); {
	case err != nil:
		return nil, kind(err)
	case open != json.Delim('['):
		return nil, frame.ErrRecord
	}
	for d.More() {
		var element json.RawMessage
		if err := d.Decode(&element); err != nil {
			return elements, kind(err)
		}
		elements = append(elements, string(element))
	}
	if _, err := d.Token(); err != nil {
		return elements, kind(err)
	}
	rest, _ := io.ReadAll(d.Buffered())
	if strings.Trim(string(rest), " \t\r\n") != "" {
		return elements, frame.ErrRecord
	}
	return elements, nil
}

func TestJSONArray(t *testing.T) {
	t.Parallel()
	frametest.Run(t, lookup(t, "json-array"), []frametest.Case{
		{Name: "empty object", In: "", Err: io.ErrUnexpectedEOF},
		{Name: "white space", In: " \n", Err: io.ErrUnexpectedEOF},
		{Name: "empty array", In: "[ ]\n"},
		{Name: "elements", In: "[{\"a\":1},[2],\"3,]\",4]", Want: []string{`{"a":1}`, "[2]", `"3,]"`, "4"}},
		{Name: "printed over lines", In: "\n[\n  {\"a\": 1}\n  ,\r\n 2 \n]\n\n", Want: []string{`{"a": 1}`, "2"}},
		{Name: "byte order mark", In: "\ufeff[1]", Want: []string{"1"}},
		{Name: "no array", In: "{}", Err: frame.ErrRecord},
		{Name: "not closed", In: "[1,\"a\"", Want: []string{"1", `"a"`}, Err: io.ErrUnexpectedEOF},
		{Name: "cut behind a comma", In: "[1,", Want: []string{"1"}, Err: io.ErrUnexpectedEOF},
		{Name: "cut in a number", In: "[1,23", Want: []string{"1", "23"}, Err: io.ErrUnexpectedEOF},
		{Name: "cut in an element", In: "[1,{", Want: []string{"1"}, Err: io.ErrUnexpectedEOF},
		{Name: "comma before the end", In: "[1,]", Want: []string{"1"}, Err: frame.ErrRecord},
		{Name: "comma first", In: "[,1]", Err: frame.ErrRecord},
		{Name: "no comma", In: "[1 2]", Want: []string{"1"}, Err: frame.ErrRecord},
		{Name: "second array", In: "[1]\n[2]", Want: []string{"1"}, Err: frame.ErrRecord},
		{Name: "bad element", In: "[1,{2}]", Want: []string{"1"}, Err: frame.ErrNoResync},
	})
}

func TestJSONArrayAgainstEncodingJSON(t *testing.T) {
	t.Parallel()
	f := lookup(t, "json-array")
	checkEdges(t, f, referenceArray, "[1],", jsonTokens...)
	ref := func(data string) ([]string, error) { return referenceArray(data) }
	for _, filler := range []string{" ", "[1],", "\"a\", "} {
		for _, token := range jsonTokens {
			for at := 55; at < 70; at++ {
				data := "[" + strings.Repeat(filler, at/len(filler)+1) + token + ",{}]"
				check(t, f, ref, data, [][2]int{{64, 0}, {64, 7}, {0, 0}})
			}
		}
	}
}

func TestJSONArraySkips(t *testing.T) {
	t.Parallel()
	long := `{"a":"` + strings.Repeat(`\"],`, 300) + `"}`
	checkSkip(t, lookup(t, "json-array"), "[1,"+long+" , 2\n]\n", "1 2", 1)
	checkSkip(t, lookup(t, "json-array"), "\ufeff\n[ "+long+",2,"+long+"]", "2", 2)
}

func FuzzJSONArray(f *testing.F) {
	fuzz(f, lookup(f, "json-array"), nil, "", `[{"a":1}, 2 ]`, "\ufeff[[],null")
}
