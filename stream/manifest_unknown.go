package stream

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// A later version of this module may add fields to the manifest without another number
// of its format. A run of this version keeps what it does not know.

// unknownFields returns the fields of a JSON object that the struct type t has no place
// for, without those named in but. encoding/json takes names for the same whose letters
// differ in case alone.
func unknownFields(data []byte, t reflect.Type, but ...string) (map[string]json.RawMessage, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	known := slices.Clone(but)
	twin := twinOf(t)
	for i := range twin.NumField() {
		name, _, _ := strings.Cut(twin.Field(i).Tag.Get("json"), ",")
		known = append(known, name)
	}
	maps.DeleteFunc(all, func(name string, _ json.RawMessage) bool {
		return slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, name) })
	})
	if len(all) == 0 {
		return nil, nil
	}
	return all, nil
}

// withUnknown adds fields to a JSON object, in the order of their names.
func withUnknown(object []byte, fields map[string]json.RawMessage) ([]byte, error) {
	if len(fields) == 0 {
		return object, nil
	}
	more, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	object = append(bytes.TrimSuffix(object, []byte("}")), ',')
	return append(object, more[1:]...), nil
}
