package stream_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/stream"
)

// reportTables are the tables of docs/report.md, by heading, and the types that they are
// of.
var reportTables = []struct {
	heading string
	of      reflect.Type
}{
	{"The report", reflect.TypeFor[stream.Report]()},
	{"Stages", reflect.TypeFor[stream.Stages]()},
	{"First record", reflect.TypeFor[stream.FirstRecord]()},
	{"Counts", reflect.TypeFor[stream.Counts]()},
	{"Tally", reflect.TypeFor[stream.Tally]()},
	{"Codecs", reflect.TypeFor[stream.CodecReport]()},
	{"Framers", reflect.TypeFor[stream.FramerReport]()},
	{"Notes", reflect.TypeFor[stream.NoteReport]()},
	{"Failures", reflect.TypeFor[stream.QuarantineEntry]()},
	{"After", reflect.TypeFor[stream.AfterReport]()},
	{"Decoded again", reflect.TypeFor[stream.Redecoded]()},
	{"Decoded again by reason", reflect.TypeFor[stream.RedecodedTotal]()},
	{"Decoded again by object", reflect.TypeFor[stream.RedecodedObject]()},
	{"Requests", reflect.TypeFor[stream.RequestReport]()},
}

// structs are the values of each struct type that a value holds.
type structs map[reflect.Type][]reflect.Value

func (s structs) look(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			s.look(v.Elem())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			s.look(v.Index(i))
		}
		if v.Len() == 0 { // its type wants a table all the same
			s.look(reflect.Zero(v.Type().Elem()))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			s.look(v.MapIndex(key))
		}
	case reflect.Struct:
		s[v.Type()] = append(s[v.Type()], v)
		for i := range v.NumField() {
			s.look(v.Field(i))
		}
	}
}

// unfilled names the fields that are zero in every value of their type.
func (s structs) unfilled() []string {
	var names []string
	for typ, values := range s {
		for i := range typ.NumField() {
			if !slices.ContainsFunc(values, func(v reflect.Value) bool { return !v.Field(i).IsZero() }) {
				names = append(names, fmt.Sprint(typ, ".", typ.Field(i).Name))
			}
		}
	}
	slices.Sort(names)
	return names
}

// fieldsOf are the fields of v in JSON.
func fieldsOf(t *testing.T, v reflect.Value) map[string]any {
	text, err := json.Marshal(v.Interface())
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// typeOf is what docs/report.md calls the type of a value in JSON.
func typeOf(v any) string {
	switch v := v.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case []any:
		if len(v) > 0 && typeOf(v[0]) == "string" {
			return "array of strings"
		}
		return "array"
	case map[string]any:
		return "object"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
	}
	return fmt.Sprintf("%T", v)
}

// unitOf is the unit that the name of a field states, or "".
func unitOf(heading, name string) string {
	switch {
	case heading == "Stages" || strings.HasSuffix(name, "_ns"):
		return "ns"
	case strings.HasSuffix(name, "_bytes") || strings.HasSuffix(name, "_offset"):
		return "bytes"
	}
	return ""
}

// row is a row of a table of docs/report.md.
type row struct{ is, unit string }

// rowsOf returns the rows of the table below a heading, by their first column.
func rowsOf(doc, heading string) map[string]row {
	_, section, _ := strings.Cut(doc, "\n## "+heading+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := map[string]row{}
	for line := range strings.Lines(section) {
		cells := strings.Split(line, " | ")
		if name, ok := strings.CutPrefix(cells[0], "| `"); ok && len(cells) > 2 {
			rows[strings.TrimSuffix(name, "`")] = row{cells[1], strings.TrimSpace(cells[2])}
		}
	}
	return rows
}
