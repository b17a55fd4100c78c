package codec

// Registry holds codecs in a fixed order. The zero value is empty and usable. It is safe for
// concurrent use as long as nobody calls Register.
type Registry struct {
	codecs []Codec
	frozen bool
}

// Default returns the Registry of the built-in codecs. It cannot be changed: Clone it to add
// a codec.
func Default() *Registry { return defaultRegistry }

var defaultRegistry = &Registry{codecs: builtin(), frozen: true}

// Clone returns a copy that can be changed.
func (r *Registry) Clone() *Registry {
	return &Registry{codecs: append([]Codec(nil), r.codecs...)}
}

// Lookup finds a codec by name.
func (r *Registry) Lookup(name string) (Codec, bool) {
	for _, c := range r.codecs {
		if c.Name == name {
			return c, true
		}
	}
	return Codec{}, false
}

// find is Lookup, which also finds what is no codec's.
func (r *Registry) find(name string) (Codec, bool) {
	c, ok := r.Lookup(name)
	if !ok && name == None {
		return noneCodec(), true
	}
	return c, ok
}

// names lists the names in order.
func (r *Registry) names() []string {
	names := make([]string, len(r.codecs))
	for i, c := range r.codecs {
		names[i] = c.Name
	}
	return names
}

// Register adds a codec, or replaces the one of the same name. It panics on a
// codec without Name or NewReader and on the Registry of [Default].
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
	for i := range r.codecs {
		if r.codecs[i].Name == c.Name {
			r.codecs[i] = c
			return
		}
	}
	r.codecs = append(r.codecs, c)
}
