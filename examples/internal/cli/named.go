package cli

import "unicode/utf8"

// Named is the full name of an object in a line of JSON. A name that is no UTF-8
// has no place in a JSON string: its bytes stand in base64 instead.
type Named struct {
	Key       *string `json:"key,omitempty"`
	KeyBase64 []byte  `json:"key_base64,omitempty"`
}

// NewNamed returns the field for a name.
func NewNamed(name string) Named {
	if utf8.ValidString(name) {
		return Named{Key: &name}
	}
	return Named{KeyBase64: []byte(name)}
}

// Name returns the name.
func (n Named) Name() string {
	if n.Key == nil {
		return string(n.KeyBase64)
	}
	return *n.Key
}
