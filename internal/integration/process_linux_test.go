package integration_test

import (
	"os/exec"
	"syscall"
)

// endWithParent ends a server when the test's process is killed.
func endWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
