package cli

import "io"

// NewTerminal is a console with a progress line on any writer.
func NewTerminal(name string, w io.Writer) *Console {
	return &Console{Name: name, w: w, terminal: true}
}
