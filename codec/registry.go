package codec

import (
	"fmt"
	"slices"
	"strings"
)

// Registry finds codecs by name and by evidence. The codec registered last is
// asked first: it is chosen where several have the same extension or
// Content-Encoding, or recognize the same bytes. The zero value is empty and ready
// to use. A Registry is safe for concurrent use once Register is no longer called.
type Registry struct {
	codecs []Codec // in the order in which they are asked
	frozen bool
}

// Default returns the Registry of the built-in codecs. It cannot be changed; add
// codecs to a [Registry.Clone] of it.
func Default() *Registry { return defaultRegistry }

var defaultRegistry = &Registry{codecs: builtin(), frozen: true}

// Clone returns a copy that can be changed.
func (r *Registry) Clone() *Registry {
	return &Registry{codecs: slices.Clone(r.codecs)}
}

// Register adds c, or replaces the codec of the same name. It panics if c has no
// Name or NewReader, and on the Registry of [Default].
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

// Lookup returns the codec called name. For an unknown name it returns an error
// that wraps [ErrUnsupported] and lists the known ones.
func (r *Registry) Lookup(name string) (Codec, error) {
	if c, ok := r.find(name); ok {
		return c, nil
	}
	return Codec{}, fmt.Errorf("codec: %w: unknown codec %q; known are %s", ErrUnsupported, name, strings.Join(r.Names(), ", "))
}

// Names returns the names that Lookup knows, in the order in which detection asks
// the codecs.
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
