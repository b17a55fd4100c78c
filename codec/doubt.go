package codec

import "io"

// Doubt returns a text that says why the object may be truncated although d has returned
// io.EOF: a BGZF object without its end block is an example. Some formats stay valid when they
// are truncated between two members. It returns "" if there is no reason to doubt, before io.EOF, and
// for a Decoder without a method Doubt() string.
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
