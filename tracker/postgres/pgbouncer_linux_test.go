package postgres_test

import (
	"os"
	"os/exec"
	"syscall"
)

// asAnother lets a program that refuses to be root's run in a namespace where root has another number.
func asAnother(cmd *exec.Cmd) {
	if os.Getuid() != 0 {
		return
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 1000, HostID: 0, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 1000, HostID: 0, Size: 1}}}
}
