package codec

import "io"

// Doubt returns why the object that d read to a clean end may have been cut all the
// same, such as BGZF without its end block. It is empty where there is no reason,
// before the end, and for a Decoder without a method of the same name and result.
func Doubt(d Decoder) string {
	if t, ok := d.(interface{ Doubt() string }); ok {
		return t.Doubt()
	}
	return ""
}

// doubter is a format that may end cleanly and doubtfully.
type doubter interface {
	// doubt is asked after the last member.
	doubt() string
}

// Doubt implements [Doubt].
func (d *decoder) Doubt() string {
	if f, ok := d.f.(doubter); ok && d.err == io.EOF {
		return f.doubt()
	}
	return ""
}

// Doubt is that of the outermost layer that has one.
func (c *chain) Doubt() string {
	for _, l := range c.layers {
		if doubt := Doubt(l); doubt != "" {
			return doubt
		}
	}
	return ""
}
