package cli

import "io"

// NewTerminal is a console with a progress line on any writer. width may be nil.
func NewTerminal(name string, w io.Writer, width func() int) *Console {
	return &Console{Name: name, w: w, terminal: true, width: width}
}
