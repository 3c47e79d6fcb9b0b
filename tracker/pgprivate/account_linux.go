package pgprivate

import (
	"context"
	"os/exec"
	"runtime"
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

// endWithParent sends a child signal when its parent has ended. To the system the parent is the thread that started it.
func endWithParent(attr *syscall.SysProcAttr, signal syscall.Signal) { attr.Pdeathsig = signal }

// namespaceWorks tries to run a program in a user namespace in which root has another number.
func namespaceWorks(a account) bool {
	ctx, cancel := context.WithTimeout(context.Background(), helloWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/proc/self/exe")
	cmd.Args = []string{supervisorName}
	cmd.Env = []string{superviseEnv + "=" + probeValue}
	cmd.SysProcAttr = a.attributes()
	endWithParent(cmd.SysProcAttr, syscall.SIGKILL)
	runtime.LockOSThread() // see spawn
	defer runtime.UnlockOSThread()
	return cmd.Run() == nil
}
