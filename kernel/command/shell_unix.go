//go:build unix

package command

import (
	"os/exec"
	"syscall"
)

// killGroup makes the end of the command's context end the processes that the command started too.
func killGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
