package codec

import "io"

// Doubt returns why the object that d read to a clean end may have been cut all the same:
// BGZF without its end block, for example. It returns "" where there is no reason, before
// the end, and for a Decoder without a method Doubt() string.
func Doubt(d Decoder) string {
	if t, ok := d.(interface{ Doubt() string }); ok {
		return t.Doubt()
	}
	return ""
}

// doubter is a format whose clean end may be a cut.
type doubter interface {
	// doubt is called after the last member.
	doubt() string
}

// Doubt implements [Doubt].
func (d *decoder) Doubt() string {
	if f, ok := d.f.(doubter); ok && d.err == io.EOF {
		return f.doubt()
	}
	return ""
}

// Doubt implements [Doubt]: that of the outermost layer that has one.
func (c *chain) Doubt() string {
	for _, l := range c.layers {
		if doubt := Doubt(l); doubt != "" {
			return doubt
		}
	}
	return ""
}
