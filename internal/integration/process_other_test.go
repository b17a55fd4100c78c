//go:build !linux

package integration_test

import "os/exec"

// endWithParent would end a server when the test's process is killed.
func endWithParent(*exec.Cmd) {}
