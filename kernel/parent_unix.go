//go:build unix

package kernel

import (
	"errors"
	"syscall"
)

// exists reports whether a process with this id exists, whatever its owner.
func exists(pid int) bool {
	return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
