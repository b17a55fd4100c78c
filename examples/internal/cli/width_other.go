//go:build !unix

package cli

import "os"

// terminalWidth returns the columns that any terminal has.
func terminalWidth(*os.File) int { return defaultWidth }
