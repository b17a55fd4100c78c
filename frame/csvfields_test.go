package frame_test

import (
	"bytes"
	stdcsv "encoding/csv"
	"slices"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/frame"
)

// fieldsOf is what AppendCSVFields gives, as strings.
func fieldsOf(record string, comma byte) (fields []string) {
	for _, field := range frame.AppendCSVFields(nil, []byte(record), comma) {
		fields = append(fields, string(field))
	}
	return fields
}

func TestAppendCSVFields(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		record string
		want   []string
	}{
		{``, []string{""}},
		{`a`, []string{"a"}},
		{`a,b,`, []string{"a", "b", ""}},
		{`,`, []string{"", ""}},
		{`"a,b","c` + "\r\n" + `d",""`, []string{"a,b", "c\r\nd", ""}},
		{`"say ""so""","""",""""""`, []string{`say "so"`, `"`, `""`}},
		{`5" pipe,a""b`, []string{`5" pipe`, `a""b`}},  // data
		{`"a"b,"a"",b"c"d`, []string{"ab", `a",bc"d`}}, // after a closing quote
		{`"a","b,""c`, []string{"a", `b,"c`}},          // closed by the end of the object
		{`"a","`, []string{"a", ""}},                   // likewise
		{`"a","b""`, []string{"a", `b"`}},              // likewise
		{`"a" ,"b"`, []string{"a ", "b"}},              // space is data
		{"\"\x00\",\xff", []string{"\x00", "\xff"}},    // any bytes
		{"a\rb,\"\r\"", []string{"a\rb", "\r"}},        // so are these
		{`"a;b";c,d`, []string{"a;b;c", "d"}},          // another comma is data
		{strings.Repeat(",", 99), make([]string, 100)}, // many
		{`"` + strings.Repeat(`""`, 99) + `"`, []string{strings.Repeat(`"`, 99)}},
	} {
		if got := fieldsOf(c.record, ','); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.record, got, c.want)
		}
	}
	if got, want := fieldsOf("a;\"b;\n\";,", ';'), []string{"a", "b;\n", ","}; !slices.Equal(got, want) {
		t.Errorf("between semicolons: got %q, want %q", got, want)
	}
}

// TestAppendCSVFieldsAllocatesNothing holds that fields are parts of the record, and
// that appending to one does not write into the next.
func TestAppendCSVFieldsAllocatesNothing(t *testing.T) {
	record := []byte(`1,"a,b",plain,"",` + "\"\n\"")
	var fields [][]byte
	if n := testing.AllocsPerRun(10, func() { fields = frame.AppendCSVFields(fields[:0], record, ',') }); n != 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
	before := string(record)
	for _, field := range fields[:len(fields)-1] {
		_ = append(field, "xxx"...)
	}
	if string(record) != before {
		t.Errorf("got %q after appending to fields, want %q", record, before)
	}
}

// FuzzCSVFields compares with encoding/csv where that takes the data, record by
// record.
func FuzzCSVFields(f *testing.F) {
	for _, seed := range csvSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.HasPrefix(data, []byte("\ufeff")) || bytes.Contains(data, []byte("\r")) {
			return // encoding/csv drops carriage returns, and keeps the mark
		}
		if isForeign(string(data)) {
			return // text in UTF-16 is refused
		}
		r := stdcsv.NewReader(bytes.NewReader(data))
		r.FieldsPerRecord = -1
		want, err := r.ReadAll()
		if err != nil {
			return
		}
		records, msg, err := split(lookup(t, "csv"), string(data), 0, 0)
		if msg != "" || err != nil || len(records) != len(want) {
			t.Fatalf("%q: got %d records, %v %s, want %d", data, len(records), err, msg, len(want))
		}
		for i, record := range records {
			if got := fieldsOf(record, ','); !slices.Equal(got, want[i]) {
				t.Errorf("%q: got %q, want %q", record, got, want[i])
			}
		}
	})
}

// TestCSVState goes on with the number of fields that the header had.
func TestCSVState(t *testing.T) {
	t.Parallel()
	f := lookup(t, "csv:ragged=error,header")
	s, err := f.New(&frame.Options{})
	if err != nil {
		t.Fatal(err)
	}
	first := []byte("a,b,c\n1,2,3\n")
	if ends, err := s.Scan(first, false, nil); err != nil || len(ends) != 1 {
		t.Fatalf("got %d ends, %v, want one", len(ends), err)
	}
	for _, c := range []struct {
		row  string
		want error
	}{{"4,5,6\n", nil}, {"4,5\n", frame.ErrRecord}} {
		again, err := f.New(&frame.Options{Offset: int64(len(first)), State: s.State()})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := again.Scan([]byte(c.row), true, nil); !sameKind(err, c.want) {
			t.Errorf("%q: got %v, want %v", c.row, err, c.want)
		}
	}
	for name, state := range map[string]string{"csv:ragged=error": "\x80", "csv:header": "\x02", "csv": "\x02"} {
		if _, err := lookup(t, name).New(&frame.Options{Offset: 1, State: []byte(state)}); err == nil {
			t.Errorf("%s with state %q: got no error", name, state)
		}
	}
}
