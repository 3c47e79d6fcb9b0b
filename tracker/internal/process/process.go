// Package process reports which machine this is, and which processes are alive on it.
package process

import (
	"errors"
	"os"
	"syscall"
)

// Alive reports whether this machine has a process of that number.
func Alive(pid int) bool {
	return pid > 0 && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

func Hostname() string {
	host, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return host
}
