package pgprivate

import (
	"os"
	"os/exec"
	"syscall"
)

// attributes returns how a server program is started: in which user namespace or under which account.
func (a account) attributes() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{}
	switch a.Kind {
	case accountNamespace:
		attr.Cloneflags = syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: a.UID, HostID: 0, Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: a.GID, HostID: 0, Size: 1}}
	case accountOther:
		attr.Credential = &syscall.Credential{Uid: uint32(a.UID), Gid: uint32(a.GID)}
	}
	return attr
}

// namespaceWorks tries to run a program in a user namespace in which root has another number.
func namespaceWorks(a account) bool {
	self, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return false
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Args = []string{self}
	cmd.Env = []string{superviseEnv + "=" + probeValue}
	cmd.SysProcAttr = a.attributes()
	return cmd.Run() == nil
}
