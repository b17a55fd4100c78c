//go:build !(cgo && unix)

package cli

// startedClosed reports false: without C nothing distinguishes a closed descriptor from
// the null device.
func startedClosed(int) bool { return false }
