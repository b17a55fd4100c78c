// Package cli is what the example programs share: flags, messages on stderr,
// progress and a clean end on Ctrl-C.
package cli
