//go:build unix

package process

import (
	"errors"
	"syscall"
)

// Alive reports whether this machine has a process of that number.
func Alive(pid int) bool {
	return pid > 0 && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
