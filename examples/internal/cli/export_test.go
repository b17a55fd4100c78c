package cli

import (
	"io"

	"github.com/thaw-go/thaw/blob"
)

// NewTerminal is a console with a progress line on any writer. width may be nil.
func NewTerminal(name string, w io.Writer, width func() int) *Console {
	return &Console{Name: name, w: w, terminal: true, width: width}
}

// Retrying is the hook that stores get which are opened for the console's program.
func (c *Console) Retrying(r blob.Retrying) { c.retrying(r) }
