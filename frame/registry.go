package frame

import (
	"fmt"
	"slices"
	"strings"
)

// Registry holds framers in a fixed order. The zero value is empty and usable.
type Registry struct {
	framers  []Framer
	families []family
	indexed  []Indexed
	frozen   bool
}

// family makes framers with a parameter in their name, such as "delim:00".
type family struct {
	prefix string // "delim:"
	arg    string // what the parameter is: "HEX"
	make   func(arg string) (Framer, error)
}

// Default holds the built-in framers. It cannot be changed; Clone it to add one.
func Default() *Registry { return defaultRegistry }

var defaultRegistry = &Registry{
	framers:  builtin(),
	families: []family{delimFamily, fixedFamily, csvFamily, regexpFamily},
	frozen:   true,
}

// builtin are the framers of Default without a parameter.
func builtin() []Framer {
	framers := []Framer{lines(), ndjson()}
	framers = append(framers, allPrefixed()...)
	return append(framers, varint(), recordio(), tfrecord(),
		csv("csv", csvDialect{comma: ','}, ".csv"), csv("tsv", csvDialect{comma: '\t', bare: true}, ".tsv"),
		jsonDocs(), jsonArray(), tar(), warc(), whole())
}

// Clone is a copy that can be changed.
func (r *Registry) Clone() *Registry {
	return &Registry{framers: slices.Clone(r.framers), families: slices.Clone(r.families), indexed: slices.Clone(r.indexed)}
}

// Register adds a framer, or replaces the one of the same name. Among framers
// that name the same extension the one registered last is chosen. It panics on a
// framer without Name or New and on the Registry of [Default].
func (r *Registry) Register(f Framer) {
	switch {
	case r.frozen:
		panic("frame: Default cannot be changed; use Default().Clone()")
	case f.Name == "" || f.New == nil:
		panic("frame: a Framer needs Name and New")
	}
	r.framers = slices.DeleteFunc(r.framers, func(g Framer) bool { return g.Name == f.Name })
	r.framers = append(r.framers, f)
}

// Lookup finds a framer by name. A name with a parameter, such as "delim:0a0a",
// makes one. An unknown name is an error that lists the known ones.
func (r *Registry) Lookup(name string) (Framer, error) {
	for _, f := range r.framers {
		if f.Name == name {
			return f, nil
		}
	}
	for _, fam := range r.families {
		if arg, ok := strings.CutPrefix(name, fam.prefix); ok {
			f, err := fam.make(arg)
			if err != nil {
				return Framer{}, fmt.Errorf("frame: %q: %w", name, err)
			}
			return f, nil
		}
	}
	return Framer{}, fmt.Errorf("frame: unknown framer %q; known: %s", name, strings.Join(r.Names(), " "))
}

// Names are the names that Lookup knows, in order; for a parameter stands what it
// is, as in "delim:HEX".
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
