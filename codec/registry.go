package codec

import (
	"fmt"
	"slices"
	"strings"
)

// Registry holds codecs and finds them by name and by evidence. The zero value has none and is
// ready to use. If several codecs have the same extension or Content-Encoding, or recognise
// the same bytes, the one registered last is chosen. A Registry is safe for concurrent use
// once no more Register calls are made.
type Registry struct {
	codecs []Codec // in the order in which they are asked
	frozen bool
}

// Default returns the Registry of the built-in codecs. Register panics on it: register custom
// codecs with a [Registry.Clone].
func Default() *Registry { return defaultRegistry }

var defaultRegistry = &Registry{codecs: builtin(), frozen: true}

// Clone returns a copy of r to which codecs can be added.
func (r *Registry) Clone() *Registry {
	return &Registry{codecs: slices.Clone(r.codecs)}
}

// Register adds c. It replaces the codec of the same name, if there is one. It panics if c has
// no Name or no NewReader, and on the Registry of [Default].
func (r *Registry) Register(c Codec) {
	switch {
	case r.frozen:
		panic("codec: Default cannot be changed; use Default().Clone()")
	case c.Name == "" || c.NewReader == nil:
		panic("codec: a Codec needs Name and NewReader")
	}
	if c.Split == nil && c.Scan != nil {
		c.Split = splitter(c.Name, c.Scan, nil)
	}
	c.restarts = ""
	r.codecs = slices.DeleteFunc(r.codecs, func(old Codec) bool { return old.Name == c.Name })
	r.codecs = slices.Insert(r.codecs, 0, c)
}

// Lookup returns the codec called name. If there is none, the error is [ErrUnsupported] and
// lists the names that r has.
func (r *Registry) Lookup(name string) (Codec, error) {
	if c, ok := r.find(name); ok {
		return c, nil
	}
	return Codec{}, fmt.Errorf("codec: %w: unknown codec %q; known are %s", ErrUnsupported, name, strings.Join(r.Names(), ", "))
}

// Names returns the names of all codecs of r, in the order in which detection asks them.
func (r *Registry) Names() []string {
	names := make([]string, len(r.codecs))
	for i, c := range r.codecs {
		names[i] = c.Name
	}
	return names
}

// find is Lookup without an error.
func (r *Registry) find(name string) (Codec, bool) {
	for i := range r.codecs {
		if r.codecs[i].Name == name {
			return r.codecs[i], true
		}
	}
	return Codec{}, false
}

// opens finds the codec of a layer: that called name, or what passes plain data
// through if r has none of its own.
func (r *Registry) opens(name string) (Codec, bool) {
	c, ok := r.find(name)
	if !ok && name == None {
		return noneCodec(), true
	}
	return c, ok
}
