package frame

import (
	"fmt"
	"slices"
	"strings"
)

// Registry finds framers by name and by the extension of an object's name. Where
// several have the same extension, the framer registered last is chosen. The zero
// value is empty and ready to use. A Registry is safe for concurrent use once
// Register is no longer called.
type Registry struct {
	framers  []Framer // in the order in which they are asked
	families []family
	frozen   bool
}

// family makes framers with a parameter in their name, such as "delim:00".
type family struct {
	prefix string // "delim:"
	arg    string // what the parameter is: "HEX"
	make   func(arg string) (Framer, error)
}

// Default returns the Registry of the built-in framers. It cannot be changed; add
// framers to a [Registry.Clone] of it.
func Default() *Registry { return defaultRegistry }

var defaultRegistry = &Registry{
	framers:  builtin(),
	families: []family{delimFamily, fixedFamily, csvFamily, regexpFamily},
	frozen:   true,
}

// builtin returns the framers of Default without a parameter.
func builtin() []Framer {
	framers := []Framer{lines(), ndjson()}
	framers = append(framers, allPrefixed()...)
	return append(framers, varint(), recordio(), tfrecord(),
		csv("csv", csvDialect{comma: ','}, ".csv"), csv("tsv", csvDialect{comma: '\t', bare: true}, ".tsv"),
		jsonDocs(), jsonArray(), tar(), warc(), whole())
}

// Clone returns a copy that can be changed.
func (r *Registry) Clone() *Registry {
	return &Registry{framers: slices.Clone(r.framers), families: slices.Clone(r.families)}
}

// Register adds f as the first choice for its extensions, or replaces the framer of the
// same name. It panics if f has no
// Name or New, and on the Registry of [Default].
func (r *Registry) Register(f Framer) {
	switch {
	case r.frozen:
		panic("frame: Default cannot be changed; use Default().Clone()")
	case f.Name == "" || f.New == nil:
		panic("frame: a Framer needs Name and New")
	}
	r.framers = slices.DeleteFunc(r.framers, func(old Framer) bool { return old.Name == f.Name })
	r.framers = slices.Insert(r.framers, 0, f)
}

// Lookup returns the framer called name. A name with a parameter, such as
// "delim:0a0a", makes one. For an unknown name, and for a parameter that is not
// valid, it returns an error that wraps [ErrUnsupported]; that of an unknown name
// lists the known ones.
func (r *Registry) Lookup(name string) (Framer, error) {
	if f, ok := r.find(name); ok {
		return f, nil
	}
	for _, fam := range r.families {
		if arg, ok := strings.CutPrefix(name, fam.prefix); ok {
			f, err := fam.make(arg)
			if err != nil {
				return Framer{}, fmt.Errorf("frame: %w: framer %q: %w", ErrUnsupported, name, err)
			}
			return f, nil
		}
	}
	return Framer{}, fmt.Errorf("frame: %w: unknown framer %q; known are %s", ErrUnsupported, name, strings.Join(r.Names(), ", "))
}

// Names returns the names that Lookup knows, those registered last first. Framers with a
// parameter have one name for all, such as "delim:HEX".
func (r *Registry) Names() []string {
	names := make([]string, 0, len(r.framers)+len(r.families))
	for _, f := range r.framers {
		names = append(names, f.Name)
	}
	for _, fam := range r.families {
		names = append(names, fam.prefix+fam.arg)
	}
	return names
}

// find is Lookup of a name without a parameter.
func (r *Registry) find(name string) (Framer, bool) {
	for _, f := range r.framers {
		if f.Name == name {
			return f, true
		}
	}
	return Framer{}, false
}
