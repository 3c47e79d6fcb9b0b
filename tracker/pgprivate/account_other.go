//go:build unix && !linux

package pgprivate

import "syscall"

// attributes returns under which account a server program is started.
func (a account) attributes() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{}
	if a.Kind == accountOther {
		attr.Credential = &syscall.Credential{Uid: uint32(a.UID), Gid: uint32(a.GID)}
	}
	return attr
}

// endWithParent does nothing: only Linux ends a child with its parent. The next supervisor adopts a server that lost
// its own.
func endWithParent(*syscall.SysProcAttr, syscall.Signal) {}

// namespaceWorks is false: only Linux has user namespaces.
func namespaceWorks(account) bool { return false }
