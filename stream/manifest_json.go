package stream

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Keys are bytes: a file may have a name that is not UTF-8, for which a JSON string
// has no room, and encoding/json would replace such bytes silently. So a string
// field of the types below whose value is not UTF-8 is written under its name with
// "_base64" added, instead of under its name.

// marshalExact is the JSON of the struct v.
func marshalExact(v any) ([]byte, error) {
	from := reflect.ValueOf(v)
	to := reflect.New(twinOf(from.Type())).Elem()
	n := 0
	for i := range from.NumField() {
		f := from.Field(i)
		if f.Kind() != reflect.String {
			to.Field(n).Set(f)
			n++
			continue
		}
		s := f.String()
		switch _, opts, _ := strings.Cut(from.Type().Field(i).Tag.Get("json"), ","); {
		case !utf8.ValidString(s):
			to.Field(n + 1).SetBytes([]byte(s))
		case s != "" || opts != "omitempty":
			to.Field(n).Set(reflect.ValueOf(&s))
		}
		n += 2
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // left to who asks for this JSON
	err := e.Encode(to.Interface())
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// unmarshalExact reads what marshalExact writes into the struct that v points to.
func unmarshalExact(data []byte, v any) error {
	to := reflect.ValueOf(v).Elem()
	ptr := reflect.New(twinOf(to.Type()))
	if err := json.Unmarshal(data, ptr.Interface()); err != nil {
		return err
	}
	from := ptr.Elem()
	n := 0
	for i := range to.NumField() {
		f := to.Field(i)
		if f.Kind() != reflect.String {
			f.Set(from.Field(n))
			n++
			continue
		}
		f.SetString(string(from.Field(n + 1).Bytes()))
		if text := from.Field(n); !text.IsNil() {
			f.SetString(text.Elem().String())
		}
		n += 2
	}
	return nil
}

// twins are those of the types below, made once: a manifest may hold 10,000 entries.
var twins = twinsOf(
	reflect.TypeFor[Manifest](), reflect.TypeFor[JobID](), reflect.TypeFor[ManifestEntry](), reflect.TypeFor[PendingObject](),
	reflect.TypeFor[QuarantineEntry](), reflect.TypeFor[FramerReport](), reflect.TypeFor[NoteReport](), reflect.TypeFor[RedecodedObject](),
)

func twinsOf(types ...reflect.Type) map[reflect.Type]reflect.Type {
	m := map[reflect.Type]reflect.Type{}
	for _, t := range types {
		m[t] = twin(t)
	}
	return m
}

// twinOf is the twin of a type.
func twinOf(t reflect.Type) reflect.Type {
	if tw := twins[t]; tw != nil {
		return tw
	}
	return twin(t)
}

// twin is the struct type t with two fields for each string: the text, and the
// bytes in its place.
func twin(t reflect.Type) reflect.Type {
	var fields []reflect.StructField
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type.Kind() != reflect.String {
			fields = append(fields, reflect.StructField{Name: f.Name, Type: f.Type, Tag: f.Tag})
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		tag := func(name string) reflect.StructTag {
			return reflect.StructTag("json:" + strconv.Quote(name+",omitempty"))
		}
		fields = append(fields,
			reflect.StructField{Name: f.Name, Type: reflect.TypeFor[*string](), Tag: tag(name)},
			reflect.StructField{Name: f.Name + "Base64", Type: reflect.TypeFor[[]byte](), Tag: tag(name + "_base64")})
	}
	return reflect.StructOf(fields)
}

// loggedKey is a key as an attribute of a log record. Bytes that are not UTF-8 go
// under a name of their own, as in the JSON of this package.
func loggedKey(key string) slog.Attr {
	if utf8.ValidString(key) {
		return slog.String("key", key)
	}
	return slog.Any("key_base64", []byte(key))
}

// shown is a string as a text for people has it: quoted where it holds what is not
// printable.
func shown(s string) string {
	for _, r := range s {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return strconv.Quote(s)
		}
	}
	return s
}

// MarshalJSON implements [json.Marshaler].
func (m Manifest) MarshalJSON() ([]byte, error) {
	data, err := marshalExact(m)
	if err != nil {
		return nil, err
	}
	return withUnknown(data, m.Unknown)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (m *Manifest) UnmarshalJSON(data []byte) (err error) {
	if err := unmarshalExact(data, m); err != nil {
		return err
	}
	m.Unknown, err = unknownFields(data, reflect.TypeFor[Manifest](), sumField)
	return err
}

// MarshalJSON implements [json.Marshaler].
func (id JobID) MarshalJSON() ([]byte, error) { return marshalExact(id) }

// UnmarshalJSON implements [json.Unmarshaler].
func (id *JobID) UnmarshalJSON(data []byte) error { return unmarshalExact(data, id) }

// MarshalJSON implements [json.Marshaler].
func (e ManifestEntry) MarshalJSON() ([]byte, error) {
	data, err := marshalExact(e)
	if err != nil {
		return nil, err
	}
	return withUnknown(data, e.Unknown)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (e *ManifestEntry) UnmarshalJSON(data []byte) (err error) {
	if err := unmarshalExact(data, e); err != nil {
		return err
	}
	e.Unknown, err = unknownFields(data, reflect.TypeFor[ManifestEntry]())
	return err
}

// MarshalJSON implements [json.Marshaler].
func (p PendingObject) MarshalJSON() ([]byte, error) {
	data, err := marshalExact(p)
	if err != nil {
		return nil, err
	}
	return withUnknown(data, p.Unknown)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (p *PendingObject) UnmarshalJSON(data []byte) (err error) {
	if err := unmarshalExact(data, p); err != nil {
		return err
	}
	p.Unknown, err = unknownFields(data, reflect.TypeFor[PendingObject]())
	return err
}

// MarshalJSON implements [json.Marshaler].
func (q QuarantineEntry) MarshalJSON() ([]byte, error) { return marshalExact(q) }

// UnmarshalJSON implements [json.Unmarshaler].
func (q *QuarantineEntry) UnmarshalJSON(data []byte) error { return unmarshalExact(data, q) }

// MarshalJSON implements [json.Marshaler].
func (f FramerReport) MarshalJSON() ([]byte, error) { return marshalExact(f) }

// UnmarshalJSON implements [json.Unmarshaler].
func (f *FramerReport) UnmarshalJSON(data []byte) error { return unmarshalExact(data, f) }

// MarshalJSON implements [json.Marshaler].
func (n NoteReport) MarshalJSON() ([]byte, error) { return marshalExact(n) }

// UnmarshalJSON implements [json.Unmarshaler].
func (n *NoteReport) UnmarshalJSON(data []byte) error { return unmarshalExact(data, n) }

// MarshalJSON implements [json.Marshaler].
func (o RedecodedObject) MarshalJSON() ([]byte, error) { return marshalExact(o) }

// UnmarshalJSON implements [json.Unmarshaler].
func (o *RedecodedObject) UnmarshalJSON(data []byte) error { return unmarshalExact(data, o) }
