package frame

// Registry holds framers in a fixed order. The zero value is empty and usable.
type Registry struct {
	framers  []Framer
	families []family
	frozen   bool
}

// family makes framers with a parameter in their name, such as "delim:00".
type family struct {
	prefix string // "delim:"
	make   func(arg string) (Framer, error)
}

// Default holds the built-in framers. It cannot be changed; Clone it to add one.
func Default() *Registry { return defaultRegistry }

var defaultRegistry = &Registry{frozen: true}
